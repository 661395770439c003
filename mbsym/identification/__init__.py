"""Parameters from measured motions: what can be identified, excitation, estimates and what they are worth."""
