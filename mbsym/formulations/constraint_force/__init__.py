"""The constraint force algorithm: the forces in all joints from one positive definite system."""
