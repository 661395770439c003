"""The independent numeric reference: maximal coordinates with multipliers."""
