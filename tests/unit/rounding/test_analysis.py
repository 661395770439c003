"""Bounds of rounding errors hold for compiled code, are reached by some states, and count every rounding."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym.rounding import analysis
from mbsym.rounding.analysis import Rounding
from mbsym.rounding.exact_analysis import ExactPart
from mbsym.rounding.exact_forms import ONE
from mbsym.rounding.precision import PRECISIONS
from mbsym.rounding.samples import evaluated
from mbsym.rounding.subdivision import look
from mbsym.rounding.tape import Tape
from mechanisms.small_texts import compiled, small_tape, small_text

SINGLE = Rounding(PRECISIONS["float"])
STATES = 20_000

ONE_EACH = {
    "y[0] = x[0] + x[1];": 0.95,
    "y[0] = -x[0] - x[1];": 0.95,
    "y[0] = x[0]*x[1];": 0.95,
    "y[0] = x[0]/x[1];": 0.95,
    "y[0] = sqrtf(x[0]);": 0.95,
    "y[0] = sinf(x[0]);": 0.5,
    "y[0] = cosf(x[0]);": 0.5,
    "y[0] = (x[0] + x[1])*x[2];": 0.8,
    "y[0] = x[2]/(x[0] + x[1]);": 0.8,
    "y[0] = sqrtf(x[0]*x[1]);": 0.7,
    "y[0] = fabsf(x[0]*x[1]);": 0.95,
    "y[0] = -(x[0]*x[1]) + x[2];": 0.8,
}
"""Texts, and the part of its bound that the error reaches at some state; sines are better than they are taken to be."""

MORE = (
    "const T_real s = sinf(x[0]);\nconst T_real c = cosf(x[0]);\n"
    "y[0] = s*s*(x[1] - x[2]) + c*c*(x[1] - x[2])/(x[1] + 0.3f*s);",
    "T_real a[2];\nfor (int k = 0; k < 2; ++k) { a[k] = x[k]*x[2] - 1.7f; }\ny[0] = a[0]*a[1]/sqrtf(x[2] + 3.0f*x[1]);",
)


def ends(count: int) -> tuple[Any, Any]:
    """A box whose numbers are of both types."""
    return np.full(count, 1.03125), np.full(count, 1.96875)


def sampled(text: str, tape: Tape, directory: Path, low: Any, high: Any, *flags: str) -> float:
    """Worst error of compiled code in single precision."""
    rng = np.random.default_rng(3)
    states = rng.uniform(low[:, None], high[:, None], (len(low), STATES)).astype(np.float32)
    got = compiled(text, directory, states, 1, flags)
    return float(np.abs(got - evaluated(tape, states)).max())


@pytest.mark.parametrize("body", [*ONE_EACH, *MORE])
def test_errors_stay_below_their_bounds(body: str, tmp_path: Path) -> None:
    """And come near those of one operation, so that a bound that forgets it fails here."""
    tape = small_tape(body, 3, real="float")
    low, high = ends(3)
    bound = float(look(tape, low[:, None], high[:, None], SINGLE).bounds[0, 0])
    worst = sampled(small_text(body, 3, 1, "float"), tape, tmp_path, low, high)
    assert ONE_EACH.get(body, 0.05) * bound <= worst <= bound


@pytest.mark.parametrize("body", [*ONE_EACH, *MORE])
def test_a_rounding_that_is_left_out_is_missed(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check in whole numbers has an account of its own."""
    tape = small_tape(body, 3, real="float")
    low, high = ends(3)
    part = ExactPart(tape, SINGLE.precision, Fraction(1), contraction=True)
    part.look([*map(Fraction, low)], [*map(Fraction, high)])
    right = Fraction(part.bound(tape.places[0]) or 0, ONE)
    assert Fraction(float(look(tape, low[:, None], high[:, None], SINGLE).bounds[0, 0])) >= right
    rounded, lost = analysis._rounded, [k for k, step in enumerate(tape.steps) if tape.rounded[k]]
    for left_out in (k for k in lost if tape.steps[k].kind not in ("negative", "abs")):
        monkeypatch.setattr(
            analysis, "_rounded",
            lambda step, *rest, own=tape.steps[left_out]: rounded(step, *rest) * (step is not own),
        )  # fmt: skip
        assert Fraction(float(look(tape, low[:, None], high[:, None], SINGLE).bounds[0, 0])) < right, left_out


def test_one_use_of_a_product_may_be_fused() -> None:
    """Of (x y - z) - (x y - w) with the product rounded in the second alone nothing but its rounding is wrong."""
    tape = small_tape("const T_real t = x[0]*x[1];\ny[0] = (t - x[2]) - (t - x[3]);", 4, real="float")
    low, high = np.array([1.03125, 1.03125, 1.0625, 1.0625]), np.array([1.046875, 1.046875, 1.09375, 1.09375])
    states = np.random.default_rng(5).uniform(low[:, None], high[:, None], (4, STATES)).astype(np.float32)
    x, y, z, w = states.astype(float)  # products and sums of these are exact in double
    fused, apart = (x * y - z).astype(np.float32), (x * y).astype(np.float32) - states[3]
    error = float(np.abs((fused - apart).astype(float) - (w - z)).max())
    allowed, excluded = (
        float(look(tape, low[:, None], high[:, None], replace(SINGLE, contraction=may)).bounds[0, 0])
        for may in (True, False)
    )
    assert excluded < error / 5 and error <= allowed


@pytest.mark.parametrize("flags", [(), ("-ffp-contract=fast", "-mfma"), ("-O0",)])
def test_compilers_may_fuse(flags: tuple[str, ...], tmp_path: Path) -> None:
    body = "y[0] = x[0]*x[1] - x[2]*x[1] + x[0]*x[2];"
    tape = small_tape(body, 3, real="float")
    low, high = ends(3)
    if "-mfma" in flags and "fma" not in Path("/proc/cpuinfo").read_text(encoding="utf-8").split():
        pytest.skip("this processor does not fuse")
    bound = float(look(tape, low[:, None], high[:, None], SINGLE).bounds[0, 0])
    assert 0.2 * bound < sampled(small_text(body, 3, 1, "float"), tape, tmp_path, low, high, *flags) <= bound


def test_what_is_exact_has_no_error() -> None:
    """Inputs, signs, factors of two but for underflow, and constants with few bits."""
    tape = small_tape("y[0] = -x[0];\ny[1] = 2.0*x[1];\ny[2] = 0.75;\ny[3] = 0.1;", 2, 4)
    box = np.array([[0.0], [1.0]]), np.array([[3.0], [2.0]])
    found = look(tape, *box, Rounding(PRECISIONS["double"])).bounds[:, 0]
    assert found[0] == found[2] == 0 and found[1] < 1e-300 and 2.0**-57 <= found[3] < 2.0**-56.99


def test_second_order_is_counted(tmp_path: Path) -> None:
    """Where errors are a tenth of what they are errors of, first order alone is too little."""
    body = "const T_real t = (x[0] + 60000.0f) - 60000.0f;\nconst T_real u = 1.0f/t;\ny[0] = u*u*u*u;"
    tape = small_tape(body, 1, real="float")
    low, high = np.array([0.021240234375]), np.array([0.021484375])
    worst = sampled(small_text(body, 1, 1, "float"), tape, tmp_path, low, high, "-ffp-contract=off")
    found = look(tape, low[:, None], high[:, None], SINGLE)
    slope = 4 / float(low[0]) ** 5
    assert worst > slope * float(PRECISIONS["float"].half_unit(np.array(60000.5)))
    assert worst <= float(found.bounds[0, 0])


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("y[0] = 1.0/(x[0] - x[1]);", "division by zero"),
        ("y[0] = sqrt(x[0] - x[1]);", "root of a negative number"),
        ("y[0] = x[0]*1e308*x[1];", "overflow"),
    ],
)
def test_dangers_are_named(body: str, what: str) -> None:
    """Over the part of the boxes where they are; whole numbers see them too."""
    tape = small_tape(body, 2)
    low = np.array([[4.0, 1.0, 1.0], [1.0, 1.0, 3.0]])
    high = np.array([[5.0, 2.0, 1.5], [2.0, 2.0, 4.0]])
    found = look(tape, low, high, Rounding(PRECISIONS["double"]))
    keys = [key for key in found.dangers if key[0] == what]
    assert {tape.steps[place].line for _, place in keys} == {6}
    where = np.any([found.dangers[key] for key in keys], axis=0)
    wanted = {"division by zero": [False, True, False], "root of a negative number": [False, True, True]}
    assert [*where] == wanted.get(what, [True, True, True])
    for k in range(3):
        part = ExactPart(tape, PRECISIONS["double"], Fraction(1), contraction=True)
        part.look([*map(Fraction, low[:, k])], [*map(Fraction, high[:, k])])
        assert ((what, 6) in part.dangers) == where[k]
        if what != "overflow":
            assert (part.bound(tape.places[0]) is None) == bool(np.isinf(found.bounds[0, k]))


def test_a_root_of_zero_has_no_bound_that_is_told() -> None:
    """Its slope is infinite there."""
    tape = small_tape("y[0] = sqrt(x[0]*x[1]);", 2)
    found = look(tape, np.zeros((2, 1)), np.ones((2, 1)), Rounding(PRECISIONS["double"]))
    assert np.isinf(found.bounds).all() and [key[0] for key in found.dangers][:1] == ["root of a negative number"]
