"""The inverse problem: does a force come from a potential, do two Lagrangians say the same?"""
