"""Enclosures hold what they enclose, in doubles and in whole numbers, and the two agree."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from mbsym.rounding import exact_forms as exact
from mbsym.rounding import forms

BOXES, PLACES = 200, 40

OPERATIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]] = {
    "plus": (forms.plus, exact.plus, np.add),
    "minus": (forms.minus, lambda x, y: exact.plus(x, exact.negative(y)), np.subtract),
    "times": (forms.times, exact.times, np.multiply),
    "square": (lambda x, y: forms.times(x, x), lambda x, y: exact.times(x, x), lambda x, y: x * x),
    "reciprocal": (lambda x, y: forms.reciprocal(x), lambda x, y: exact.reciprocal(x), lambda x, y: 1 / x),
    "sine": (
        lambda x, y: forms.sine_and_cosine(x)[0], lambda x, y: exact.sine_and_cosine(x)[0], lambda x, y: np.sin(x),
    ),
    "cosine": (
        lambda x, y: forms.sine_and_cosine(x)[1], lambda x, y: exact.sine_and_cosine(x)[1], lambda x, y: np.cos(x),
    ),
    "root": (lambda x, y: forms.root(x), lambda x, y: exact.root(x), lambda x, y: np.sqrt(x)),
    "absolute": (lambda x, y: forms.absolute(x)[0], lambda x, y: exact.absolute(x)[0], lambda x, y: np.abs(x)),
}  # fmt: skip


def boxes(positive: bool) -> tuple[Any, Any]:
    """Ends (2, B) of two inputs: wide and narrow intervals, of either sign and of both, points among them."""
    rng = np.random.default_rng(7)
    low = rng.uniform(-4, 4, (2, BOXES))
    high = low + rng.uniform(0, 1, (2, BOXES)) ** 3 * 6 * (rng.uniform(size=(2, BOXES)) < 0.9)
    if positive:
        low, high = np.abs(low) + 0.01, np.abs(low) + 0.01 + (high - low)
    return low, high


def held(form: Any, places: Any, values: Any) -> bool:
    """Whether values at places (2, k, B) of the boxes lie in a form, but for what doubles lose here."""
    line = form.c if form.a is None else form.c + (form.a[:, None, :] * places).sum(axis=0)
    allowed = 1e-12 * (1 + np.abs(values))
    inside = np.abs(values - line) <= form.r + allowed
    return bool((inside & (form.low - allowed <= values) & (values <= form.high + allowed)).all())


@pytest.mark.parametrize("name", OPERATIONS)
def test_values_lie_in_their_enclosures(name: str) -> None:
    """At places drawn evenly and at all corners; a second operation on the result sees that its parts are right too."""
    low, high = boxes(name in ("reciprocal", "root"))
    rng = np.random.default_rng(8)
    places = rng.uniform(-1, 1, (2, PLACES, BOXES))
    places[:, :4] = np.array([[-1, -1, 1, 1], [-1, 1, -1, 1]])[:, :, None]
    x, y = ((low + high) / 2)[:, None] + places * ((high - low) / 2)[:, None]
    first, second = forms.box(low, high)
    found, value = OPERATIONS[name][0](first, second), OPERATIONS[name][2](x, y)
    assert held(found, places, value)
    assert held(forms.times(forms.minus(found, second), found), places, (value - y) * value)


@pytest.mark.parametrize("name", OPERATIONS)
def test_whole_numbers_agree(name: str) -> None:
    """To nine digits, and are never wider: what doubles lose is added to the forms in doubles alone."""
    low, high = boxes(name in ("reciprocal", "root"))
    first, second = forms.box(low, high)
    found = OPERATIONS[name][0](first, second)
    for k in range(0, BOXES, 7):
        x, y = (exact.of_input(i, Fraction(low[i, k]), Fraction(high[i, k])) for i in range(2))
        other = OPERATIONS[name][1](x, y)
        size = 1e-9 * (1 + float(found.size[k]))
        assert found.low[k] <= other.low / exact.ONE and other.high / exact.ONE <= found.high[k]
        assert other.low / exact.ONE - found.low[k] < size and found.high[k] - other.high / exact.ONE < size
        assert -1e-15 < found.radius[k] - other.radius / exact.ONE < size


def test_what_has_no_bound_says_so() -> None:
    ends = np.array([[-1.0, 0.0, 1.0]]), np.array([[1.0, 2.0, 2.0]])
    (x,) = forms.box(*ends)
    with np.errstate(invalid="ignore"):  # infinite parts, of which nothing more is asked
        assert [*np.isinf(forms.reciprocal(x).r)] == [True, True, False]
        assert [*np.isinf(forms.root(x).r)] == [True, False, False]
    for operation in (exact.reciprocal, exact.root):
        with pytest.raises(exact.UnboundedError):
            operation(exact.of_input(0, Fraction(-1), Fraction(1)))


def test_a_sine_over_many_turns_is_between_its_ends() -> None:
    low, high = np.array([[0.0, 1e5, 1.2]]), np.array([[40.0, 1e5 + 1e-3, 1.9]])
    sine, _ = forms.sine_and_cosine(forms.box(low, high)[0])
    assert (sine.low[0], sine.high[0]) == pytest.approx((-1, 1)) and sine.high[2] == pytest.approx(1)
    assert np.sin(1e5) >= sine.low[1] > np.sin(1e5) - 2e-3


def turned(module: Any, pair: tuple[Any, Any], x: Any, y: Any, signs: tuple[int, ...]) -> tuple[Any, Any]:
    """Components of something like a rotated vector: signs may be any, and stand at the sines or at the products."""
    sine, cosine = pair
    parts = [module.times(cosine, x), module.times(sine, y), module.times(y, cosine), module.times(x, sine)]
    parts[1] = module.times(module.negative(sine), y) if signs[1] < 0 else parts[1]
    parts[2] = module.times(module.negative(y), cosine) if signs[2] < 0 else parts[2]
    parts = [module.negative(part) if sign < 0 and k in (0, 3) else part
             for k, (part, sign) in enumerate(zip(parts, signs, strict=True))]  # fmt: skip
    return module.plus(parts[0], parts[1]), module.plus(parts[2], parts[3])


@pytest.mark.parametrize("signs", [*product((1, -1), repeat=4)])
def test_what_is_rotated_is_as_long_as_before(signs: tuple[int, ...]) -> None:
    """Over whole turns a rotation of a rotated vector is no longer; with other signs it may be, and is enclosed too."""
    rng = np.random.default_rng(9)
    turns = np.full(1, np.pi)
    low, high = np.array([-turns, -turns, -np.ones(1), -np.ones(1)]), np.array([turns, turns, np.ones(1), np.ones(1)])
    first, second, x, y = forms.box(low, high)
    once = turned(forms, forms.sine_and_cosine(first), x, y, signs)
    found, _ = turned(forms, forms.sine_and_cosine(second), *once, (1, 1, 1, -1))
    a, b, p, q = rng.uniform(low, high, (4, 200_000))
    p, q = np.sign(p), np.sign(q)
    c, s = np.cos(a), np.sin(a)
    u, v = signs[0] * c * p + signs[1] * s * q, signs[2] * c * q + signs[3] * s * p
    most = float(np.abs(np.cos(b) * u + np.sin(b) * v).max())
    is_rotation = signs[0] * signs[1] == -signs[2] * signs[3]
    assert most <= found.greatest[0] and found.greatest[0] == pytest.approx(np.sqrt(2) if is_rotation else 2)
    assert most > (1.3 if is_rotation else 1.9)
    exactly = [exact.of_input(k, Fraction(low[k, 0]), Fraction(high[k, 0])) for k in range(4)]
    once = turned(Exactly, exact.sine_and_cosine(exactly[0]), exactly[2], exactly[3], signs)
    other, _ = turned(Exactly, exact.sine_and_cosine(exactly[1]), *once, (1, 1, 1, -1))
    assert 0 <= found.greatest[0] - other.greatest / exact.ONE < 1e-9


class Exactly:
    """The operations in whole numbers by the names of those in doubles."""

    times, negative, plus = staticmethod(exact.times), staticmethod(exact.negative), staticmethod(exact.plus)
