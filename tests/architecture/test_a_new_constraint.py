"""What a new closure constraint costs: its class, and its equations in the reference. A point on a plane shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, TypeVar

import numpy as np
import pytest

import mbsym
from mbsym.constraints import CONSTRAINTS, ConstraintElement, ConstraintType
from mbsym.constraints.element import LoopDraw, OpenLoop, PointRow
from mbsym.errors import FormatError
from mbsym.formats.native.schema import json_schema
from mbsym.formats.native.text import dump_native
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.system import Model
from mbsym.reference.constraint_elements import REFERENCE_CONSTRAINTS, ReferenceConstraint
from mbsym.spatial.vector import vector, zero_vector
from mbsym.values.entries import holds
from mbsym.values.lines import Line
from mbsym.values.parameter import Vector
from mbsym.visualisation.skeleton import skeleton
from mechanisms.random_mechanisms import random_closed_loops

C = TypeVar("C")

# ---- the record -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PointOnPlane(ConstraintElement):
    """A point of the second body stays on a plane of the first, given by a point and its normal."""

    type: ClassVar[str] = "point_on_plane"

    name: str
    first_body: str = field(metadata=holds("body", "the body that carries the plane"))
    second_body: str = field(metadata=holds("body", "the body that carries the point"))
    normal: Vector = field(metadata=holds("direction", "of the plane", body="first_body"))
    plane_point: Vector = field(default=(0, 0, 0), metadata=holds("vector", "in the plane", body="first_body"))
    second_point: Vector = field(default=(0, 0, 0), metadata=holds("vector", "the point", body="second_body"))

    def close(self, loop: OpenLoop[C]) -> C:
        plane = loop.along(self.first_body, self.plane_point, self.normal)
        graph = loop.value(0).graph
        up, still = vector(graph, (0, 0, 1)), zero_vector(graph)
        return loop.between(
            self,
            plane,
            loop.at(self.second_body, self.second_point),
            lambda seen: [PointRow("height over the plane", "m", seen.place[2], up, still)],
        )

    def drawn(self) -> tuple[Line, ...]:
        return (Line("slide", self.first_body, self.plane_point, self.second_body, self.second_point),)

    @classmethod
    def random(cls, draw: LoopDraw) -> PointOnPlane:
        return cls(f"plane {draw.number}", *draw.bodies, draw.direction(), draw.seen, draw.points[1])


def unit_normal(element: PointOnPlane, found: object) -> np.ndarray:
    normal = np.array(found.mechanism.numbers(element.normal))  # type: ignore[attr-defined]
    return normal / np.linalg.norm(normal)


def directions(found, element):  # type: ignore[no-untyped-def]
    """(n . r)'' with n fixed in the first body: -n . (omega x (omega x r) + 2 omega x (r' - omega x r))."""
    n = found.turn @ unit_normal(element, found)
    swept = np.cross(found.omega, found.between)
    known = np.cross(found.omega, swept) + 2 * np.cross(found.omega, found.rate - swept)
    return n[:, None], np.array([-n @ known])


REFERENCE_PLANE = ReferenceConstraint(
    "point_on_plane",
    "plane_point",
    lambda found, element: np.array([unit_normal(element, found) @ found.turn.T @ found.between]),
    directions,
    turning=True,
)

# ---- what it reaches ------------------------------------------------------------------------------------------------

TABLE = """\
name: table
bodies:
  arm: {mass: 2, inertia: [0.02, 0.2, 0.2], center_of_mass: [0.4, 0, 0]}
  tip: {mass: 1, inertia: [0.01, 0.02, 0.02], center_of_mass: [0.1, 0, 0.05]}
joints:
  pin: {type: revolute, from: ground, to: arm, axis: y}
  ball: {type: spherical, from: arm, to: tip, at: [0.8, 0, 0]}
constraints:
  glides: {type: point_on_plane, first_body: ground, second_body: tip, normal: [0, 1, 2], second_point: [0.3, 0, 0]}
"""


@pytest.fixture(autouse=True)
def plane() -> Iterator[None]:
    with CONSTRAINTS.including(ConstraintType(PointOnPlane)), REFERENCE_CONSTRAINTS.including(REFERENCE_PLANE):
        yield


@pytest.fixture
def table(tmp_path: Path) -> Model:
    path = tmp_path / "table.yaml"
    path.write_text(TABLE, encoding="utf-8")
    return mbsym.load(path)


def test_schema_reader_and_writer_know_it(table: Model, tmp_path: Path) -> None:
    assert json_schema()["$defs"]["PointOnPlaneTable"]["required"] == ["type", "first_body", "second_body", "normal"]
    path = tmp_path / "again.yaml"
    path.write_text(dump_native(table), encoding="utf-8")
    assert mbsym.load(path) == table
    path.write_text(TABLE.replace("[0, 1, 2]", "[0, 0, 0]"), encoding="utf-8")
    with pytest.raises(FormatError, match=r"again.yaml:9:\d+: the direction of constraint 'glides' is zero"):
        mbsym.load(path)


def test_generated_code_agrees_with_the_reference(table: Model) -> None:
    certificate = mbsym.verify(table, states=4)
    assert certificate.passed, certificate.summary()


def test_random_loops_are_closed_by_it_and_it_is_drawn() -> None:
    drawn = 0
    for seed in range(60):
        model, _ = random_closed_loops(seed, loops=(2, 4), planar=False, forces=False)
        found = [item for item in model.constraints if item.type == "point_on_plane"]
        if found:
            drawn += 1
            links = skeleton(build_mechanism(model, model.label())).links
            assert sum(link.kind == "slide" for link in links) >= len(found)
        if drawn == 2:
            break
    assert drawn == 2
