"""The symbolic core: a hash-consed graph of scalar operations and the programs on it. Knows no mechanics."""
