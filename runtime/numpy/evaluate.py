"""How the functions of a generated module call their kernels."""

# ruff: noqa: F821
from __future__ import annotations

import math

import numpy as np

_REAL = np.float64
# mbsym: copied from here


class _Floats:
    """Elementary functions of floats, for a single state: several times faster than those of NumPy."""

    sin, cos, tan, asin, acos, atan2 = math.sin, math.cos, math.tan, math.asin, math.acos, math.atan2
    sqrt, exp, log, tanh, pow = math.sqrt, math.exp, math.log, math.tanh, math.pow
    abs = abs

    @staticmethod
    def min(x, y):
        return y if y < x or x != x else x

    @staticmethod
    def max(x, y):
        return y if y > x or x != x else x

    @staticmethod
    def sign(x):
        return 1.0 if x > 0.0 else -1.0 if x < 0.0 else x

    @staticmethod
    def select(condition, positive, otherwise):
        return positive if condition > 0.0 else otherwise


class _Arrays:
    """Elementary functions of arrays."""

    sin, cos, tan, asin, acos, atan2 = np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan2
    sqrt, exp, log, tanh, pow = np.sqrt, np.exp, np.log, np.tanh, np.power
    abs, min, max, sign = np.abs, np.fmin, np.fmax, np.sign

    @staticmethod
    def select(condition, positive, otherwise):
        return np.where(condition > 0.0, positive, otherwise)


def _axes(name, found, shape):
    """How many batch axes an array has before its own."""
    axes = len(found) - len(shape)
    if axes < 0 or found[axes:] != shape:
        raise ValueError(f"{name} has the shape {found}; expected are batch axes and then {shape}")
    return axes


def _evaluate(kernel, arguments, shapes):
    """Results of a kernel as arrays of the given shapes, preceded by the batch axes of the arguments."""
    if elsewhere := _library(arguments):
        functions, arguments = elsewhere
        return _evaluate_with(functions, kernel, arguments, shapes)
    arrays = []
    batch = ()
    for name, value, shape in arguments:
        array = np.asarray(value, dtype=_REAL)
        axes = _axes(name, array.shape, shape)
        if axes:
            batch = np.broadcast_shapes(batch, array.shape[:axes])
        arrays.append((array, axes, shape))
    if not batch and _REAL is np.float64:
        try:
            values = [array.ravel().tolist() if shape else array.item() for array, _, shape in arrays]
            results = kernel(_Floats, *values)
        except (ArithmeticError, ValueError):
            pass  # outside the domain of a function: arrays answer with infinity or NaN
        else:
            return [
                np.array(result).reshape(shape) if shape else np.float64(result[0])
                for result, shape in zip(results, shapes, strict=True)
            ]
    columns = []
    for array, axes, shape in arrays:
        if shape:
            array = array.reshape((*array.shape[:axes], math.prod(shape))).transpose((axes, *range(axes)))
            array = list(np.ascontiguousarray(array))
        columns.append(array)
    packed = []
    for result, shape in zip(kernel(_Arrays, *columns), shapes, strict=True):
        flat = np.empty((len(result), *batch), dtype=_REAL)
        for index, value in enumerate(result):
            flat[index] = value
        packed.append(flat.transpose((*range(1, flat.ndim), 0)).reshape((*batch, *shape))[()])
    return packed
