"""How the public functions of a generated module run routines on many states at once."""

# ruff: noqa: F821
from __future__ import annotations

import numpy as np

_REAL = np.float64
# mbsym: copied from here


class _States:
    """What functions for many states share: their axes, which come last in all arrays, and parameters."""

    def __init__(self, axes, keywords):
        self.axes, self.keywords = axes, keywords

    @property
    def each(self):
        """Places of all states, for entries of which each has its own."""
        return tuple(np.ogrid[tuple(slice(extent) for extent in self.axes)]) if self.axes else ()


def _for_states(function, keywords, arguments, results):
    """Results of a routine and the status of each state; results have a shape and a type."""
    arrays, axes = [], ()
    for name, value, shape in arguments:
        array = np.asarray(value, dtype=_REAL)
        own = array.shape[: _axes(name, array.shape, shape)]
        axes = np.broadcast_shapes(axes, own) if own else axes
        arrays.append((array, shape))
    for parameters in keywords.values():
        axes = np.broadcast_shapes(axes, *(np.shape(value) for value in vars(parameters).values()))
    given = [np.broadcast_to(array, (*axes, *shape)) if axes else array for array, shape in arrays]
    made = [np.zeros((*(shape or (1,)), *axes), dtype=kind) for shape, kind in results]
    with np.errstate(all="ignore"):
        status = function(_States(axes, keywords), *(_states_last(array, axes) for array in given), *made)
    shaped = [
        (_states_first(array, axes) if shape else array[0])[()] for array, (shape, _) in zip(made, results, strict=True)
    ]
    return shaped, np.full(axes, status, dtype=int)[()]


def _states_last(array, axes):
    states = len(axes)
    return array.transpose((*range(states, array.ndim), *range(states))) if axes else array


def _states_first(array, axes):
    own = array.ndim - len(axes)
    return array.transpose((*range(own, array.ndim), *range(own))) if axes else array


def _results_of(function, states, *arguments):
    """What another function of the module returns, whatever its status, each result with its states last."""
    axes = states.axes
    found = _evaluated(function, *(_states_first(array, axes) for array in arguments), **states.keywords)
    several = found if isinstance(found, tuple) else (found,)
    return [_states_last(array, axes) for array in several]


def _both(mask, test):
    """Those of a mask for which a test holds; True stands for all states."""
    found = test if mask is True else mask & test
    if isinstance(found, bool):
        return found or np.False_
    return True if found.all() else found


def _except(mask, test):
    """Those of a mask for which a test does not hold."""
    return np.False_ if test is True else _both(mask, ~test)


def _any(mask):
    return mask is True or mask.any()


def _chosen(mask, new, old):
    """What is new where a mask holds, and what was there before elsewhere."""
    return new if mask is True else np.where(mask, new, old)


def _on_those(mask, function, states, *arguments):
    """What a function does that few states need, on those of a mask alone."""
    if mask is True:
        return function(states, *arguments)
    given = [_taken(each, mask) for each in arguments]
    found = function(_States((int(mask.sum()),), states.keywords), *given)
    for whole, part in zip(arguments, given, strict=True):
        if isinstance(whole, np.ndarray):
            whole[..., mask] = part
        for name, value in vars(part).items() if hasattr(part, "__dict__") else ():
            if not isinstance(getattr(whole, name), np.ndarray):
                setattr(whole, name, np.full(mask.shape, getattr(whole, name)))
            getattr(whole, name)[..., mask] = value
    if found is None:
        return None
    spread = np.zeros(mask.shape, dtype=np.asarray(found).dtype)
    spread[mask] = found
    return spread


def _taken(given, mask):
    """An array or the arrays of a record for the states of a mask; a number is the same for all."""
    if isinstance(given, np.ndarray):
        return given[..., mask]
    if not hasattr(given, "__dict__"):
        return given
    part = object.__new__(type(given))
    for name, value in vars(given).items():
        setattr(part, name, value[..., mask] if isinstance(value, np.ndarray) else value)
    return part
