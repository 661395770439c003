"""Joint types: one module each with everything about it, listed in ``registry``."""
