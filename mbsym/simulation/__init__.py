"""Time integration of generated equations."""
