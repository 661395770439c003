"""Velocities, Jacobians and loop constraints of labelled mechanisms."""
