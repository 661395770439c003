"""Comparison of generated code with the reference, and its certificate."""
