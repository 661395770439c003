"""Small vibrations by transfer matrices: elements, their tree, its frequencies and shapes."""
