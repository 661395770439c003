"""Model files: the native format, URDF and MJCF."""
