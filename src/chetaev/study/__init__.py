"""The complete study of a system: everything chetaev knows about it, in one report."""
