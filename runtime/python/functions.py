"""Functions of a Python package over the C beside it: what the type in C does not do itself."""

# ruff: noqa: F821
from __future__ import annotations

import ctypes
import sys
from collections import namedtuple

import numpy as np

# mbsym: copied from here

FAILURES = ("raise", "mask", "keep", "return")
_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_ssize_t, *[ctypes.c_void_p] * 3)


class StatusError(ArithmeticError):
    """A function has no result for some states; ``status`` has a number a state."""

    def __init__(self, function, status):
        self.function, self.status = function, status
        first = tuple(int(k) for k in np.argwhere(status)[0])
        where = f" in {np.count_nonzero(status)} of {status.size} states, first in state {first}" if status.ndim else ""
        super().__init__(f"{function}{where}: {STATUSES[int(status[first])]}")


class _Function:
    """A function over arrays; leading axes of the arguments are batch axes and broadcast.

    Arrays of the function's type that lie contiguously, with the same leading axes or none, do not come this way.
    """

    def __init__(self, name, sentence, inputs, outputs):
        self.__name__ = self.__qualname__ = name
        self.__doc__ = f"{name}({', '.join(inputs)}) -> {', '.join(outputs)}: {sentence}"
        self.inputs, self.outputs = inputs, outputs
        self.results = namedtuple(name, outputs, rename=True) if len(outputs) > 1 else None
        self.call = _SIGNATURE(_extension.addresses[name])

    def __reduce__(self):
        return self.__name__

    def __repr__(self):
        return f"<{self.__doc__.partition(':')[0]}>"

    def __call__(self, *inputs, out=None, parameters=None, failures="raise", **named):
        """One array, or a named tuple of arrays, of the batch axes and the result's own."""
        if failures not in FAILURES:
            raise ValueError(f"failures is {failures!r}; give one of {', '.join(FAILURES)}")
        given = dict(zip(self.inputs, inputs, strict=False))
        unknown = set(parameters or ()) - set(PARAMETERS)
        doubled = len(inputs) > len(self.inputs) or given.keys() & named.keys()
        if doubled or unknown or {*given, *named} != set(self.inputs):
            raise TypeError(
                f"{self.__name__} takes {', '.join(self.inputs)} and the parameters {', '.join(PARAMETERS) or 'none'}"
            )
        values = {**given, **named, **PARAMETERS, **(parameters or {})}
        shapes = {**dict.fromkeys(PARAMETERS, ()), **self.inputs}
        batch, rows = self._rows({name: (values[name], shape) for name, shape in shapes.items()})
        structure = np.stack([rows[name] for name in PARAMETERS] or [np.zeros(batch)], axis=-1).astype(REAL)
        results = [np.empty((*batch, *shape), kind) for shape, kind in self.outputs.values()]
        status = np.zeros(batch, np.intc)
        arrays = [*(rows[name] for name in self.inputs), *results]
        places = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        strides = (ctypes.c_void_p * len(arrays))()  # NULL: one state after the other
        self.call(status.size, structure.ctypes.data, 1, places, strides, status.ctypes.data)
        failed = status != 0
        if failures == "raise" and failed.any():
            raise StatusError(self.__name__, status)
        if failures == "mask":
            for result in results:
                result[failed] = np.nan if result.dtype.kind == "f" else result[failed]
        if out is not None:
            results = self._written(results, (out,) if self.results is None else tuple(out))
        found = results[0] if self.results is None else self.results(*results)
        return (found, status) if failures == "return" else found

    def _rows(self, given):
        """The batch axes, and arrays with all of them."""
        leading, arrays = [], {}
        for name, (value, shape) in given.items():
            if np.iscomplexobj(value):
                raise TypeError(f"{self.__name__}: {name} is complex")
            array = np.asarray(value, REAL)
            axes = array.ndim - len(shape)
            if axes < 0 or array.shape[axes:] != shape:
                raise ValueError(
                    f"{self.__name__}: {name} has the shape {array.shape}; give batch axes and then {shape}"
                )
            leading.append(array.shape[:axes])
            arrays[name] = array
        batch = np.broadcast_shapes(*leading)
        # Copied where numbers are not aligned: what is broadcast to the shape that it has lies as it lay.
        flags = ("C_CONTIGUOUS", "ALIGNED")
        return batch, {
            name: np.require(np.broadcast_to(array, (*batch, *given[name][1])), REAL, flags)
            for name, array in arrays.items()
        }

    def _written(self, results, out):
        """The arrays that are given, which hold the results then."""
        alike = [
            isinstance(place, np.ndarray) and (place.dtype, place.shape) == (result.dtype, result.shape)
            for place, result in zip(out, results, strict=False)
        ]
        if len(out) != len(results) or not all(alike) or not all(place.flags.writeable for place in out):
            asked = ", ".join(f"{result.dtype} of shape {result.shape}" for result in results)
            raise ValueError(f"{self.__name__}: out does not fit; give arrays that can be written, {asked}")
        for place, result in zip(out, results, strict=True):
            place[...] = result
        return out


def _function(name, sentence, inputs, outputs):
    """The function of that name, as the type in C has it."""
    general = _Function(name, sentence, inputs, outputs)
    words = tuple(sys.intern(word) for word in (*inputs, "out"))
    kinds = [(REAL, shape) for shape in inputs.values()] + [(kind, shape) for shape, kind in outputs.values()]
    arguments = tuple((np.dtype(kind).num, shape) for kind, shape in kinds)
    return _extension.function((_extension.addresses[name], general, words, general.results, arguments))
