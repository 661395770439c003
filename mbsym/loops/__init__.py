"""Closed loops: their equations, dynamics, reactions, and what keeps them closed."""
