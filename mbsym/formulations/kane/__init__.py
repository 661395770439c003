"""Kane's equations in closed form through the path matrix."""
