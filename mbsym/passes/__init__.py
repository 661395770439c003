"""Passes: each takes a Program and returns an equivalent one."""
