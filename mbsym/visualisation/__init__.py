"""Diagrams of mechanisms."""
