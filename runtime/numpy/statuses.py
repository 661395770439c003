"""What becomes of states without a result, in the functions of a module that can fail."""

# ruff: noqa: F821
from __future__ import annotations

import numpy as np

# mbsym: copied from here


class StatusError(ArithmeticError):
    """A function has no result as it is meant to be for some states.

    Attributes:
        function: its name.
        status: of each state, members of ``Status``; an array of the batch axes.
    """

    def __init__(self, function, status):
        self.function = function
        self.status = np.asarray(status)
        failed = self.status != Status.OK
        first = tuple(int(k) for k in np.argwhere(failed)[0])
        found = Status(int(self.status[first]))
        where = f" in {failed.sum()} of {failed.size} states, first in state {first}" if self.status.ndim else ""
        super().__init__(f"{function}: {found.name}{where}: {_SENTENCES[found]}")


def _settled(function, results, status, failures):
    """What a function returns, given its results, the status of each state and what to do about failures."""
    if failures == "return":
        return results, status
    if failures not in ("raise", "mask", "keep"):
        raise ValueError(f"failures is {failures!r}; give 'raise', 'mask', 'keep' or 'return'")
    failed = np.asarray(status) != Status.OK
    if failures == "keep" or not failed.any():
        return results
    if failures == "raise":
        raise StatusError(function, status)
    if not isinstance(results, tuple):
        return _masked(results, failed)
    masked = [_masked(result, failed) for result in results]
    return type(results)(*masked) if hasattr(results, "_fields") else tuple(masked)


def _judged(kernel, arguments, shapes, guards):
    """Results of a kernel, NaN where it fails, and the status of each state."""
    with np.errstate(all="ignore"):
        *results, values = _evaluate(kernel, arguments, (*shapes, (len(guards),)))
    needs = {
        "nonzero": lambda value, size: np.abs(value) > VANISHES * size,
        "not negative": lambda value, size: value >= 0,
        "positive": lambda value, size: value > 0,
        "within one": lambda value, size: np.abs(value) <= 1,
    }
    status = np.full(values.shape[:-1], Status.OK)
    for wanted in (Status.SINGULAR, Status.OUT_OF_REACH):
        for place, (need, size) in enumerate(guards):
            if (need == "nonzero") == (wanted == Status.SINGULAR):
                status = np.where(needs[need](values[..., place], size), status, wanted)
    for _, value, shape in arguments:
        axes = tuple(range(-len(shape), 0))
        status = np.where(np.isfinite(value).all(axis=axes), status, Status.NOT_FINITE)
    for result, shape in zip(results, shapes, strict=True):
        axes = tuple(range(-len(shape), 0))
        sound = np.isfinite(result).all(axis=axes) | (status != Status.OK)
        status = np.where(sound, status, Status.NOT_FINITE)
    failed = np.asarray(status != Status.OK)
    return [_masked(result, failed) for result in results], status[()]


def _evaluated(function, *arguments, **keywords):
    """What another function of the module returns, whatever its status."""
    if "failures" in (function.__kwdefaults__ or {}):
        keywords["failures"] = "keep"
    return function(*arguments, **keywords)


def _masked(result, failed):
    """The result with NaN in the states that failed; integers say what happened and stay."""
    result = np.asarray(result)
    if result.dtype.kind == "i":
        return result[()]
    return np.where(failed.reshape(failed.shape + (1,) * (result.ndim - failed.ndim)), np.nan, result)[()]
