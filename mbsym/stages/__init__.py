"""What options do to functions, one stage after the other, each a pure function of a derivation."""
