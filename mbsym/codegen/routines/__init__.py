"""Routines: algorithms that iterate, written once in a small part of Python and printed in every language."""
