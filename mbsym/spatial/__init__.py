"""Rotations, motions, forces, transforms and inertias over graph scalars."""
