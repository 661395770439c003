"""Recursive formulations: Newton and Euler, composite and articulated bodies, and the factors of the mass matrix."""
