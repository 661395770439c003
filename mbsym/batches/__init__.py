"""Many states from Python: compiled functions over NumPy arrays, and sweeps over processes."""
