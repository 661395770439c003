"""Linear analysis: linearisation about a state, equilibria with their stability, modes."""
