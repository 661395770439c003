"""Emitted texts read back: one neutral representation of C and NumPy, and what it computes over any numbers."""
