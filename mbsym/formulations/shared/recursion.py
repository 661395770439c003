"""What functions of shared steps are made of: what is found before, sweeps along the tree, and pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mbsym.kinematics.mechanism import TreeBody
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Target
from mbsym.symbolic.scalar import Scalar

Values: TypeAlias = Mapping[str, Sequence[Scalar]]
"""Entries by the names of what is read or written."""

StepFunction: TypeAlias = Callable[[tuple[TreeBody, ...], Values], Values]
"""What a sweep does with one body, given as it is in each of the equivalent mechanisms."""

Places: TypeAlias = Callable[[TreeBody], tuple[int, ...]]
"""Where entries of a result that belong to a body begin."""


@dataclass(frozen=True, slots=True)
class Recursion:
    """What a sweep does.

    Attributes:
        title: of the sweep.
        step: for one body.
        along: name of what is handed on along the tree; inward, what the outboard bodies hand on is added.
        width: how many entries that has.
        ground: outward, what ground hands on; None for a sweep inward.
        takes: what earlier sweeps kept for the same body.
        given: what was found for the same body beforehand.
        keeps: for later sweeps.
        pools: what pairs of bodies and speeds read, by its name: how many entries each speed, or else the body, has.
        arguments: of the function, as far as they belong to the joint.
        results: what goes to the function's results, by their names: where entries of a body begin, which are as many
            pieces of one size.
        arrives: of a sweep inward, makes results of what arrives at ground.
    """

    title: str
    step: StepFunction
    along: str
    width: int
    ground: tuple[Scalar, ...] | None = None
    takes: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    pools: Mapping[str, int] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    results: Mapping[str, Places] = field(default_factory=dict)
    arrives: Callable[[Graph, Sequence[Scalar]], Values] | None = None


def of_speeds(body: TreeBody) -> tuple[int, ...]:
    """Where a result that has an entry for each speed has those of a body's joint."""
    return (body.v_range[0],)


@dataclass(frozen=True, slots=True)
class Beforehand:
    """What one step finds for all bodies before the sweeps, its operations written out.

    Attributes:
        title: of it.
        name: of the step.
        arguments: of the function.
        found: entries of each body by label - 1, over the mechanism's graph, by the names that sweeps know them by.
    """

    title: str
    name: str
    arguments: tuple[Input, ...]
    found: Mapping[str, Sequence[Sequence[Scalar]]]


@dataclass(frozen=True, slots=True)
class Pairing:
    """What is found for a body, or a speed, with each speed inward of it.

    Attributes:
        title: of it.
        name: of the step.
        step: what it finds.
        outer, inner: what it reads of both, names of pools.
        of_bodies: each body is paired with the speeds of its joint and of all inward; else each speed with those inward
            of it.
        targets: the results that take it: how far entries are apart there, and where the first stands, the sum of what
            the outer body or speed and what the inner speed make of their places: body's label - 1, place in v.
    """

    title: str
    name: str
    step: Callable[[Graph, Values], Sequence[Scalar]]
    outer: tuple[str, ...]
    inner: tuple[str, ...]
    of_bodies: bool
    targets: tuple[tuple[Target, Callable[[int], int], Callable[[int], int]], ...]
