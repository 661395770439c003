"""From a Program to C and NumPy text; knows no mechanics."""
