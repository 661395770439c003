"""Many states from Python: compiled functions over NumPy arrays."""
