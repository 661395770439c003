"""One record adds a formulation: it is derived, generated, certified, documented and listed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import mbsym
from mbsym.cli import main
from mbsym.errors import DerivationError
from mbsym.formulations.contracts import MASS_MATRIX, Derived, Function, functions_by_name
from mbsym.formulations.quantity import quantities_by_name, quantity
from mbsym.formulations.recursive.newton_euler import newton_euler
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joints_at_rest
from mbsym.registry import FORMULATIONS, Formulation
from mbsym.report.contents import FORMULATION_SECTIONS, FormulationSections
from mbsym.report.sections import Section
from mbsym.spatial.vector import zero_vector
from mbsym.symbolic.scalar import Scalar
from mbsym.testing import assert_same_equations


def mass_matrix(mechanism: Mechanism) -> Derived:
    """Column after column the forces of unit rates, at rest and without gravity."""
    still, nothing = joints_at_rest(mechanism), zero_vector(mechanism.graph)
    rows = []
    for k in range(mechanism.nv):
        unit = tuple(Scalar(mechanism.graph, int(k == column)) for column in range(mechanism.nv))
        rows.append(mechanism.gather(newton_euler(mechanism, still, mechanism.of_joints(unit), nothing).forces))
    return Derived(rows, "forces of unit rates")


UNIT_FORCES = quantity(
    "U = unit_forces(q)[nv, nv]",
    "Forces of unit rates",
    "A column the forces of one unit rate, in the order of v.",
    "by hand",
    lambda mechanism: mass_matrix(mechanism).entries,
)


@contextmanager
def added() -> Iterator[None]:
    """The formulation, for the length of a block."""
    own = functions_by_name(Function(MASS_MATRIX, mass_matrix))
    section = Section("unit_rates", "Unit rates", ("Each column is the force of one unit rate.",))
    with (
        FORMULATIONS.including(
            Formulation("unit-rates", "mass matrix by unit rates", own, quantities=quantities_by_name(UNIT_FORCES))
        ),
        FORMULATION_SECTIONS.including(FormulationSections("unit-rates", lambda mechanism: (section,))),
    ):
        yield


@pytest.mark.parametrize("model", ["double_pendulum", "four_bar"])
def test_it_is_generated_and_certified(tmp_path_factory: pytest.TempPathFactory, model: str) -> None:
    directory = tmp_path_factory.mktemp(model)
    with added():
        mbsym.generate(model, directory, formulation="unit-rates")
        assert mbsym.verify(directory, states=2).passed
    assert "mass matrix (forces of unit rates)" in (directory / f"{model}.h").read_text(encoding="utf-8")


def test_documents_help_and_messages_know_it(capsys: pytest.CaptureFixture[str]) -> None:
    with added():
        assert main(["derive", "double_pendulum", "--formulation", "unit-rates"]) == 0
        assert "Each column is the force of one unit rate." in capsys.readouterr().out
        for verb in ("derive", "generate"):
            # Lines of help end anywhere, at a hyphen too.
            main([verb, "--help"])
            assert "unit-rates" in "".join(capsys.readouterr().out.split())
            main(["manual", verb])
            assert "unit-rates(massmatrixbyunitrates)" in "".join(capsys.readouterr().out.split())
        with pytest.raises(DerivationError, match="unit-rates"):
            mbsym.derive("double_pendulum", formulation="unit rates")


def test_its_quantities_are_in_documents_and_comparisons(capsys: pytest.CaptureFixture[str]) -> None:
    with added():
        equations = mbsym.derive("double_pendulum", "unit-rates")
        assert equations.matrix("unit_forces") == equations.mass_matrix
        assert_same_equations({"unit_forces": equations.mass_matrix}, "double_pendulum", formulation="unit-rates")
        assert main(["derive", "double_pendulum", "--formulation", "unit-rates", "--quantity", "unit_forces"]) == 0
        assert "A column the forces of one unit rate" in capsys.readouterr().out
        main(["manual", "derive"])
        assert "unit-rates:unit_forces" in "".join(capsys.readouterr().out.split())
