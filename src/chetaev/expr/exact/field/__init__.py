"""The differential field of functions: elements, normal forms, derivatives, values, and which are zero."""
