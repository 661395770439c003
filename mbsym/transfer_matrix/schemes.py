"""Step-by-step integration as linear maps, equations (9) and (10) of the paper.

At the collocation time every integrated coordinate z has velocity A z + B and acceleration C z + D. B and D, the
predictor and the history after the step are linear in the history before it, so that a scheme is an array of numbers
and one kernel serves every scheme. The history of a coordinate holds

    x, v, a   value, velocity and acceleration at the last time
    s         a value of the scheme's own (generalised-alpha's auxiliary acceleration)
    x2, x3    values one and two steps before x

Layout of a scheme's array: A, C, then coefficients of (x, v, a, s, x2, x3) for B, D and the predictor, then six rows of
seven for the new history, each with the coefficient of z first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Operand, Scalar, constant
from mbsym.transfer_matrix.kernel import Kernel

HISTORY: Final = ("x", "v", "a", "s", "x2", "x3")
HISTORY_SIZE: Final = len(HISTORY)
SCHEME_SIZE: Final = 2 + 3 * HISTORY_SIZE + HISTORY_SIZE * (HISTORY_SIZE + 1)


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear combination of z (first coefficient) and of the history."""

    coefficients: tuple[Scalar, ...]

    def __add__(self, other: Linear) -> Linear:
        return Linear(tuple(a + b for a, b in zip(self.coefficients, other.coefficients, strict=True)))

    def __sub__(self, other: Linear) -> Linear:
        return Linear(tuple(a - b for a, b in zip(self.coefficients, other.coefficients, strict=True)))

    def __mul__(self, factor: Operand) -> Linear:
        return Linear(tuple(a * factor for a in self.coefficients))

    def __neg__(self) -> Linear:
        return Linear(tuple(-a for a in self.coefficients))


@dataclass(frozen=True, slots=True)
class LinearMaps:
    """A scheme: A and C, and B, D, predictor and new history (x, v, a, s, x2, x3) as combinations."""

    A: Scalar
    C: Scalar
    B: Linear
    D: Linear
    predictor: Linear
    history: tuple[Linear, ...]

    def entries(self) -> tuple[Scalar, ...]:
        """The scheme's array."""
        flat = [self.A, self.C]
        for combination in (self.B, self.D, self.predictor):
            flat += combination.coefficients[1:]
        for row in self.history:
            flat += row.coefficients
        return tuple(flat)


def _variables(graph: Graph) -> tuple[Linear, ...]:
    """z, and the history entries."""
    size = HISTORY_SIZE + 1
    return tuple(Linear(tuple(Scalar(graph, int(k == place)) for k in range(size))) for place in range(size))


def _taylor(h: Scalar) -> Linear:
    """The predictor."""
    _, x, v, a, *_ = _variables(h.graph)
    return x + v * h + a * (h * h / 2)


def _linear_acceleration(H: Scalar) -> tuple[Scalar, Scalar, Linear, Linear]:
    """A, C, B and D after a time H over which the acceleration is linear."""
    _, x, v, a, *_ = _variables(H.graph)
    C = 6 / (H * H)
    D = -(x * C + v * (6 / H) + a * 2)
    A = 3 / H
    return A, C, -(x * A + v * 2 + a * (H / 2)), D


def _at_the_end(h: Scalar, A: Scalar, C: Scalar, B: Linear, D: Linear, s: Linear | None = None) -> LinearMaps:
    """Equations hold at the end of the step; s is the new acceleration if the scheme has no value of its own."""
    z, x, _, _, _, x2, _ = _variables(h.graph)
    predictor = _taylor(h)
    new_v, new_a = z * A + B, z * C + D
    return LinearMaps(A, C, B, D, predictor, (z, new_v, new_a, s or new_a, x, x2))


def generalised_alpha(h: Scalar, spectral_radius: Scalar) -> LinearMaps:
    """Chung and Hulbert's scheme in Arnold and Bruls' form: s is the auxiliary acceleration, order 2."""
    z, x, v, a, s, *_ = _variables(h.graph)
    r = spectral_radius
    alpha_m = (2 * r - 1) / (r + 1)
    alpha_f = r / (r + 1)
    gamma = constant(h.graph, 1) / 2 - alpha_m + alpha_f
    beta = (gamma + constant(h.graph, 1) / 2) ** 2 / 4
    p = x + v * h + s * (h * h * (constant(h.graph, 1) / 2 - beta))
    C = (1 - alpha_m) / ((1 - alpha_f) * beta * h * h)
    D = -(p * C) + s * (alpha_m / (1 - alpha_f)) - a * (alpha_f / (1 - alpha_f))
    A = gamma / (beta * h)
    B = v + s * (h * (1 - gamma)) - p * A
    return _at_the_end(h, A, C, B, D, (z - p) * (1 / (beta * h * h)))


def newmark(h: Scalar, beta: Scalar, gamma: Scalar) -> LinearMaps:
    """Newmark-beta: order 2 for gamma = 1/2 (weakly unstable with constraints), else 1."""
    _, x, v, a, *_ = _variables(h.graph)
    p = x + v * h + a * (h * h * (constant(h.graph, 1) / 2 - beta))
    C = 1 / (beta * h * h)
    A = gamma / (beta * h)
    D = -(p * C)
    return _at_the_end(h, A, C, v + a * (h * (1 - gamma)) - p * A, D)


def fox_euler(h: Scalar) -> LinearMaps:
    """Fox-Euler: Newmark-beta with beta = 1/2 and gamma = 1, order 1 and dissipative."""
    return newmark(h, constant(h.graph, 1) / 2, constant(h.graph, 1))


def wilson(h: Scalar, theta: Scalar) -> LinearMaps:
    """Wilson-theta: equations hold at t + theta h, the step is interpolated back; order 2."""
    z, x, v, a, _, x2, _ = _variables(h.graph)
    H = theta * h
    A, C, B, D = _linear_acceleration(H)
    new_a = a + (z * C + D - a) * (1 / theta)
    new_v = v + (new_a + a) * (h / 2)
    new_x = x + v * h + (new_a + a * 2) * (h * h / 6)
    return LinearMaps(A, C, B, D, _taylor(H), (new_x, new_v, new_a, new_a, x, x2))


def houbolt(h: Scalar) -> LinearMaps:
    """Houbolt: backward differences over three steps, order 2 and dissipative; needs two starting steps."""
    _, x, _, _, _, x2, x3 = _variables(h.graph)
    C = 2 / (h * h)
    D = (x * -5 + x2 * 4 - x3) * (1 / (h * h))
    A = 11 / (6 * h)
    return _at_the_end(h, A, C, (x * -18 + x2 * 9 - x3 * 2) * (1 / (6 * h)), D)


def houbolt_first(h: Scalar) -> LinearMaps:
    """Houbolt's first step: acceleration linear in time; s keeps the initial acceleration for the second step."""
    _, _, _, a, *_ = _variables(h.graph)
    return _at_the_end(h, *_linear_acceleration(h), a)


def houbolt_second(h: Scalar) -> LinearMaps:
    """Houbolt's second step: differences over x, x2 and the initial acceleration in s."""
    _, x, _, _, s, x2, _ = _variables(h.graph)
    C = 2 / (h * h)
    D = (x * -4 + x2 * 2) * (1 / (h * h)) - s
    A = 11 / (6 * h)
    return _at_the_end(h, A, C, (x * -16 + x2 * 5) * (1 / (6 * h)) - s * (h / 3), D)


@dataclass(frozen=True, slots=True)
class SchemeParameter:
    """A parameter of a scheme besides h."""

    name: str
    description: str
    default: float


@dataclass(frozen=True, slots=True)
class SchemeFunction:
    """The function that makes a scheme's array, with its parameters after h."""

    maps: Callable[..., LinearMaps]
    parameters: tuple[SchemeParameter, ...]
    description: str


_RADIUS = SchemeParameter("spectral_radius", "at infinite frequency, below 1", 0.8)
_BETA = SchemeParameter("beta", "weight of the new acceleration in the position", 0.3025)
_GAMMA = SchemeParameter("gamma", "weight of the new acceleration in the velocity", 0.6)
_THETA = SchemeParameter("theta", "collocation time in steps, 1.37 or more", 1.4)

SCHEME_FUNCTIONS: Final[Mapping[str, SchemeFunction]] = {
    "generalised_alpha": SchemeFunction(generalised_alpha, (_RADIUS,), "generalised-alpha"),
    "newmark": SchemeFunction(newmark, (_BETA, _GAMMA), "Newmark-beta"),
    "wilson": SchemeFunction(wilson, (_THETA,), "Wilson-theta"),
    "houbolt_first": SchemeFunction(houbolt_first, (), "Houbolt, first step"),
    "houbolt_second": SchemeFunction(houbolt_second, (), "Houbolt, second step"),
    "houbolt": SchemeFunction(houbolt, (), "Houbolt, from the third step on"),
    "fox_euler": SchemeFunction(fox_euler, (), "Fox-Euler"),
}
"""Every scheme, by the name of its generated function."""


def scheme_programs(graph: Graph) -> tuple[Program, ...]:
    """Programs (h, parameters) -> scheme."""
    programs = []
    for name, function in SCHEME_FUNCTIONS.items():
        kernel = Kernel(graph, name, f"constants of one step: {function.description}")
        h = kernel.scalar("h", "step", "s")
        parameters = [kernel.scalar(item.name, item.description) for item in function.parameters]
        maps = function.maps(h, *parameters)
        kernel.output("scheme", SCHEME_SIZE, maps.entries(), "A, C, B, D, predictor, history rows")
        programs.append(kernel.program())
    return tuple(programs)
