"""How the same kernels take arrays of other libraries, such as JAX, PyTorch and CuPy."""

# ruff: noqa: F821
from __future__ import annotations

import math
import sys

import numpy as np

# mbsym: copied from here


class _Library:
    """Elementary functions of the arrays of another library, by names of the array API or older ones.

    Numbers are taken by way of a zero of the arrays' precision and device: libraries differ in what a bare one becomes.
    """

    def __init__(self, library, array):
        self.library, self.zero = library, library.zeros_like(library.sum(array))
        self.sin, self.cos, self.tan, self.sqrt = library.sin, library.cos, library.tan, library.sqrt
        self.exp, self.log, self.tanh = library.exp, library.log, library.tanh
        self.abs, self.sign = library.abs, library.sign
        for name, older in ("asin", "arcsin"), ("acos", "arccos"), ("atan2", "arctan2"), ("pow", "power"):
            setattr(self, name, getattr(library, name if hasattr(library, name) else older))

    def min(self, x, y):
        x, y = self.zero + x, self.zero + y
        return self.library.where((y < x) | (x != x), y, x)

    def max(self, x, y):
        x, y = self.zero + x, self.zero + y
        return self.library.where((y > x) | (x != x), y, x)

    def select(self, condition, positive, otherwise):
        return self.library.where(condition > 0.0, self.zero + positive, self.zero + otherwise)

    def array(self, value):
        """Numbers and NumPy's arrays as arrays of the library."""
        if _library_of(value) is not None:
            return value
        numbers = np.asarray(value, dtype=_REAL)
        if numbers.size > 1000:
            return self.library.asarray(numbers)
        if not numbers.ndim:
            return self.zero + numbers.item()
        entries = [self.zero + number for number in numbers.ravel().tolist()]
        return self.library.reshape(self.library.stack(entries), numbers.shape)


def _library_of(value):
    """The library of an array that is not NumPy's; None for all else."""
    if isinstance(value, np.ndarray | np.generic):
        return None
    if hasattr(value, "__array_namespace__"):
        return value.__array_namespace__()
    name = type(value).__module__.partition(".")[0]
    return sys.modules[name] if name == "torch" else None


def _library(arguments):
    """Functions of the library of the first argument that has one, and the arguments as its arrays; None without."""
    for _, value, _ in arguments:
        library = _library_of(value)
        if library is not None:
            functions = _Library(library, value)
            return functions, [(name, functions.array(each), shape) for name, each, shape in arguments]
    return None


def _evaluate_with(functions, kernel, arguments, shapes):
    """What ``_evaluate`` returns, in the arrays of a library: it follows them through its own transformations."""
    library, batch, columns = functions.library, (), []
    for name, array, shape in arguments:
        axes = _axes(name, tuple(array.shape), shape)
        if axes:
            batch = np.broadcast_shapes(batch, tuple(array.shape[:axes]))
        if shape:
            flat = library.reshape(array, (*array.shape[:axes], math.prod(shape)))
            array = [flat[..., place] for place in range(math.prod(shape))]
        columns.append(array)
    packed = []
    for result, shape in zip(kernel(functions, *columns), shapes, strict=True):
        entries = [library.broadcast_to(functions.zero + value, batch) for value in result]
        stacked = library.stack(entries, axis=-1) if entries else library.broadcast_to(functions.zero, (*batch, 0))
        packed.append(library.reshape(stacked, (*batch, *shape)))
    return packed
