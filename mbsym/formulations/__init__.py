"""Formulations of the equations of motion, one a module."""
