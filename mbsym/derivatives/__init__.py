"""Derivatives of the equations of motion, and what the same recursions give to control."""
