"""Generated C in the words of those who take it: optimisers, simulators, middleware, other languages."""
