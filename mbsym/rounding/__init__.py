"""Guaranteed bounds of the rounding errors of a generated C text, and of the ranges of all that it computes."""
