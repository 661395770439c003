"""Derivatives of the equations of motion, linearisation and identification."""
