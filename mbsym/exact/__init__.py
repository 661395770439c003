"""Emitted texts proven: evaluated in a finite field beside Newton's and Euler's equations in maximal coordinates."""
