"""From programs and loops to machine code, through LLVM; kept in memory, on disk and in the package."""
