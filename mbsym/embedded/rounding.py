"""NumPy whose operations are rounded at random, as far as single precision rounds, for modules that run with it.

The same text rounds otherwise where products are fused with sums, in vectors, in another library. Single precision by
itself shows nothing of that where operations happen to be exact: two equal products that are rounded apart cancel, and
leave a rounding where one of them is fused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

HALF: Final = float(np.finfo(np.float32).eps) / 2
"""Of a result, by which it is off at most."""

ROUNDING: Final = frozenset(
    (
        *(np.add, np.subtract, np.multiply, np.divide, np.sqrt, np.power, np.exp, np.log, np.sin, np.cos, np.tan),
        *(np.tanh, np.arcsin, np.arccos, np.arctan, np.arctan2),
    )
)
"""Operations that round; signs, sizes and choices do not."""


class RoundedArray(np.ndarray[Any, Any]):
    """Numbers of double precision that are rounded whenever something is computed of them.

    Attributes:
        generator: of the roundings.
    """

    # Modules look into what has attributes of its own: arrays have none.
    __slots__ = ("generator",)
    generator: np.random.Generator

    def __array_finalize__(self, made_of: Any) -> None:
        if made_of is not None and hasattr(made_of, "generator"):
            self.generator = made_of.generator

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: Any, *inputs: Any, out: tuple[Any, ...] | None = None, **keywords: Any
    ) -> Any:
        plain = [_plain(item) for item in inputs]
        if method == "reduce" and ufunc is np.add:
            plain[0] = self.rounded(plain[0])
        found = getattr(ufunc, method)(*plain, **keywords)
        if ufunc in ROUNDING:
            found = self.rounded(found)
        if out is None:
            return self.marked(found)
        _plain(out[0])[...] = found
        return out[0]

    def rounded(self, values: Any) -> Any:
        """Numbers, each off by up to half a unit of single precision."""
        return values * (1.0 + HALF * self.generator.uniform(-1.0, 1.0, np.shape(values)))

    def marked(self, found: Any) -> Any:
        """Real numbers that are rounded from here on; anything else as it is."""
        if not isinstance(found, np.ndarray | np.floating) or np.asarray(found).dtype.kind != "f":
            return found
        made = np.asarray(found).view(RoundedArray)
        made.generator = self.generator
        return made


class RoundedNumpy:
    """What a module calls ``np``: arrays that it makes are rounded, and so are sums of products."""

    def __init__(self, generator: np.random.Generator) -> None:
        """Numbers from here on.

        Args:
            generator: of the roundings.
        """
        self._first = np.zeros(()).view(RoundedArray)
        self._first.generator = generator

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if isinstance(found, type | np.ufunc) or not callable(found):
            return found

        def call(*arguments: Any, **keywords: Any) -> Any:
            return self._first.marked(found(*map(_plain_inside, arguments), **keywords))

        return call

    def einsum(self, subscripts: str, *operands: Any) -> Any:
        """A sum of products: each product is rounded, and what comes of them."""
        first, *others = map(_plain, operands)
        total = np.einsum(subscripts, self._first.rounded(first), *others)
        return self._first.marked(self._first.rounded(total))


def _plain(item: Any) -> Any:
    return item.view(np.ndarray) if isinstance(item, RoundedArray) else item


def _plain_inside(item: Any) -> Any:
    """The same of what stands in lists."""
    return [_plain(each) for each in item] if isinstance(item, Sequence) and not isinstance(item, str) else _plain(item)
