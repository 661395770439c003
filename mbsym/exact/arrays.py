"""Functions of a NumPy module that compute by arithmetic of arrays, followed over numbers with floats beside them.

Python reads and runs them as they stand. What they take of NumPy works on arrays of any numbers, and what they ask
other functions of the module for is followed statement by statement.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

from mbsym.errors import TextError
from mbsym.exact.following import Beside, Signature, Spoken, followed
from mbsym.reference.rotations import Array
from mbsym.texts.machine import Arithmetic
from mbsym.texts.representation import Number

_IMPORTS: Final = (ast.Import, ast.ImportFrom)
_FAULTS: Final = (TypeError, ValueError, LookupError, AttributeError, NameError, ImportError, ArithmeticError)
"""Of Python, where a text was edited."""


class _Arrays:
    """What a module calls ``np``, for arrays of numbers with floats beside them; what is not told here is NumPy's."""

    float64 = float32 = object

    def __init__(self, arithmetic: Arithmetic) -> None:
        library, self.zero = arithmetic.library, arithmetic.literal(Number(Fraction(0), "0.0"))
        self.sqrt = np.frompyfunc(lambda x: library["sqrt"](self._number(x)), 1, 1)
        self.abs = np.frompyfunc(lambda x: library["fabs"](self._number(x)), 1, 1)
        self.minimum = np.frompyfunc(lambda x, y: library["fmin"](self._number(x), self._number(y)), 2, 1)
        self._finite = np.frompyfunc(lambda x: np.bool_(math.isfinite(self._number(x).near)), 1, 1)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def _number(self, value: Any) -> Beside:
        found: Beside = value if isinstance(value, Beside) else self.zero + value
        return found

    def zeros(self, shape: Any, dtype: Any) -> Array:
        """Zeros, of numbers where they are real."""
        return np.full(shape, self.zero, dtype=object) if dtype is object else np.zeros(shape, dtype)

    def where(self, test: Any, first: Any, second: Any) -> Any:
        """One or the other; of numbers a number."""
        return np.where(test, first, second)[()]

    def isfinite(self, values: Any) -> Any:
        """Whether the floats are."""
        found = self._finite(values)
        return found.astype(bool) if isinstance(found, np.ndarray) else found


def of_arrays(
    spoken: Spoken,
    signature: Signature,
    signatures: Mapping[str, Signature],
    given: Sequence[Mapping[str, Any]],
    parameters: Mapping[str, Any],
    arithmetic: Arithmetic,
) -> list[list[Array]]:
    """Results of a function for several states, or for one without axes: by state, the entries of each result.

    Args:
        spoken: the text.
        signature: the function.
        signatures: of all functions by name.
        given: arguments by name, of each state.
        parameters: run-time parameters by name.
        arithmetic: numbers with floats beside them.

    Raises:
        TextError: the text does what no emitted text does.
        UndecidedError: the numbers do not decide.
    """
    axes = (len(given),) if len(given) > 1 else ()
    module: dict[str, Any] = {}
    by_symbol = {spoken.symbol(name): each for name, each in signatures.items()}

    def for_states(function: Any, keywords: Any, arguments: Any, results: Any) -> tuple[list[Array], Any]:
        arrays = [array for _, array, _ in arguments]
        made = [module["np"].zeros((*(shape or (1,)), *axes), kind) for shape, kind in results]
        status = function(module["_States"](axes, keywords), *arrays, *made)
        return made, status

    def results_of(function: Any, states: Any, *arguments: Any) -> list[Array]:
        own, found = by_symbol[function.__name__], []
        for k in range(math.prod(states.axes)):
            of_state = [np.asarray(array)[..., k] if states.axes else np.asarray(array) for array in arguments]
            values = {
                name: array.ravel().tolist() if shape else array[()]
                for (name, shape), array in zip(own.inputs, of_state, strict=True)
            }
            found.append(followed(spoken, own, values, parameters, arithmetic, {}))
        return [
            np.array(entries, dtype=object).T.reshape(*shape, *states.axes)
            for (_, shape), *entries in zip(own.outputs, *found, strict=True)
        ]

    arguments = [_stacked([each[name] for each in given], shape) for name, shape in signature.inputs]
    try:
        _run(spoken, module, _Arrays(arithmetic))
        module |= {"_for_states": for_states, "_results_of": results_of, "_settled": lambda name, results, *_: results}
        with np.errstate(all="ignore"):
            found = module[spoken.symbol(signature.name)](*arguments)
    except _FAULTS as error:
        raise TextError(f"Python cannot run it: {error!r}", where=signature.name) from None
    return _by_state(found if isinstance(found, (tuple, list)) else (found,), len(given))


def _by_state(results: Sequence[Any], states: int) -> list[list[Array]]:
    """The entries of each result, by state."""
    flat = [np.reshape(np.asarray(each, dtype=object), (-1, states)) for each in results]
    return [[each[:, k] for each in flat] for k in range(states)]


def _stacked(values: Sequence[Any], shape: Sequence[int]) -> Array:
    """An argument of several states, which are its last axis, or of one."""
    arrays = [np.reshape(np.array(each, dtype=object), shape) for each in values]
    return np.stack(arrays, axis=-1) if len(arrays) > 1 else arrays[0]


def _run(spoken: Spoken, module: dict[str, Any], library: _Arrays) -> None:
    """Runs what a module imports, and with what it calls ``np`` its definitions but for kernels."""
    for code in _compiled(spoken.source, frozenset(name for name in spoken.text.functions if name.startswith("_"))):
        exec(code, module)
        module["np"] = library


@lru_cache(maxsize=2)
def _compiled(source: str, kernels: frozenset[str]) -> tuple[Any, Any]:
    every = [node for node in ast.parse(source).body if getattr(node, "name", "") not in kernels]
    first: list[ast.stmt] = [node for node in every if isinstance(node, _IMPORTS)]
    rest = [node for node in every if not isinstance(node, _IMPORTS)]
    imports, others = (compile(ast.Module(nodes, []), "<module>", "exec", dont_inherit=True) for nodes in (first, rest))
    return imports, others
