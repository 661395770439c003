"""What becomes of states without a result, in the functions of a module that can fail."""

# ruff: noqa: F821
from __future__ import annotations

import math

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
    if _library_of(status) is not None:
        return results  # NaN where they fail: what a library traces cannot raise
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
    functions, arguments = _library(arguments) or (None, arguments)
    library = np if functions is None else functions.library
    with np.errstate(all="ignore"):
        every = (*shapes, (len(guards),))
        if functions is None:
            *results, values = _evaluate(kernel, arguments, every)
        else:
            *results, values = _evaluate_with(functions, kernel, arguments, every)
    needs = {
        "nonzero": lambda value, size: library.abs(value) > VANISHES * size,
        "not negative": lambda value, size: value >= 0,
        "positive": lambda value, size: value > 0,
        "within one": lambda value, size: library.abs(value) <= 1,
    }
    status = library.zeros_like(values[..., 0])
    for wanted in (Status.SINGULAR, Status.OUT_OF_REACH):
        for place, (need, size) in enumerate(guards):
            if (need == "nonzero") == (wanted == Status.SINGULAR):
                status = library.where(needs[need](values[..., place], size), status, float(wanted))
    for _, value, shape in arguments:
        status = library.where(_all_finite(library, value, shape), status, float(Status.NOT_FINITE))
    for result, shape in zip(results, shapes, strict=True):
        sound = _all_finite(library, result, shape) | (status != 0)
        status = library.where(sound, status, float(Status.NOT_FINITE))
    status = library.asarray(status, dtype=library.int32)
    if functions is None:
        failed = np.asarray(status != 0)
        return [_masked(result, failed) for result in results], status[()]
    spoilt = [library.reshape(status, (*status.shape, *(1 for _ in shape))) != 0 for shape in shapes]
    return [library.where(failed, math.nan, result) for failed, result in zip(spoilt, results, strict=True)], status


def _all_finite(library, value, shape):
    """Whether all entries of each state are."""
    flags = library.isfinite(value)
    batch = flags.shape[: len(flags.shape) - len(shape)]
    return library.all(library.reshape(flags, (*batch, math.prod(shape))), axis=-1)


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
