"""Equations as text, LaTeX, HTML and JSON."""
