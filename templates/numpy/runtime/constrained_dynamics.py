"""Dynamics with closed loops are part of loops.py in NumPy, where time and inputs are just further arguments."""

# mbsym: copied from here
