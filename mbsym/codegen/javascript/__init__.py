"""Functions in JavaScript, for pages that move."""
