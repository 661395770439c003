"""How the public functions of a generated module run routines."""

from __future__ import annotations

import math

import numpy as np

_REAL = np.float64
# mbsym: copied from here


_NOT_FINITE = 4


def _run(function, memory, keywords, arguments, shapes):
    """Results of a routine of the given shapes and what it returns, for every state; rows of arrays are lists."""
    arrays = []
    batch = ()
    for name, value, shape in arguments:
        array = np.asarray(value, dtype=_REAL)
        axes = array.ndim - len(shape)
        if axes < 0 or array.shape[axes:] != shape:
            raise ValueError(f"{name} has the shape {array.shape}; expected are batch axes and then {shape}")
        batch = np.broadcast_shapes(batch, array.shape[:axes])
        arrays.append((array, shape))
    count = math.prod(batch)
    rows = [np.broadcast_to(array, (*batch, *shape)).reshape(count, *shape).tolist() for array, shape in arrays]
    results = [np.empty((count, *(shape or (1,))), dtype=_REAL) for shape in shapes]
    status = np.zeros(count, dtype=int)
    for state in range(count):
        filled = [np.zeros(shape or (1,)).tolist() for shape in shapes]
        try:
            status[state] = function(*(row[state] for row in rows), *filled, memory(keywords)) or 0
        except (ArithmeticError, ValueError):  # a function of infinity, where C goes on with NaN
            filled = [np.full(shape or (1,), np.nan) for shape in shapes]
            status[state] = _NOT_FINITE
        for result, values in zip(results, filled, strict=True):
            result[state] = values
    shaped = [result.reshape((*batch, *shape))[()] for result, shape in zip(results, shapes, strict=True)]
    return shaped, status.reshape(batch)[()]
