"""Proof before writing: what is going to be printed is evaluated in a finite field beside another derivation."""
