"""What goes with generated C into a product: a self-test for the target, and a report for a safety case."""
