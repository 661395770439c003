"""Forms of bodies: sizes, meshes, and the mass that a density gives them."""
