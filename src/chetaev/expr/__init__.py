"""The expression language: grammar, parser, graph, printing, engines, exact zero test."""
