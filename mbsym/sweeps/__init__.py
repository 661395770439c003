"""Functions and simulations over very many states or parameters: in chunks, by any executor, resumed where left."""
