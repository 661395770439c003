"""One record adds a function: it is generated, listed, documented and checked, and without a check it is an error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.cli import main
from mbsym.codegen.load import load_numpy
from mbsym.errors import DerivationError, VerificationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.contracts import Contract, Display, Entries, Function, Result, contract
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import composite
from mbsym.registry import FORMULATIONS, TRANSFER_MATRIX
from mbsym.spatial.vector import cross
from mbsym.verification.evidence import Evidence, Identity, Pairs
from mbsym.verification.identities import IDENTITIES

CONTRACT = contract(
    "weight_moment(q)",
    "moment of all weights about the base's origin, in base axes",
    Result("moment", (3,), "N m", "moment of all weights about the base's origin"),
    display=Display("n", "Moment of the weights", "n(q): what the ground must hold against the weights."),
    identities=("arm of the weight",),
)


def derivation(mechanism: Mechanism) -> Entries:
    """First moment of all masses times gravity."""
    return cross(composite(mechanism)[1], mechanism.gravity)


def arm_of_the_weight(evidence: Evidence) -> Pairs:
    """Centre of mass times the weight, by the reference."""
    bodies = evidence.reference.mechanism
    mass = sum(body.mass for body in bodies.bodies)
    yield evidence.output(), np.cross(evidence.numbers["center_of_mass"], mass * bodies.gravity)


@contextmanager
def added(contract: Contract = CONTRACT) -> Iterator[None]:
    """The function and its check, for the length of a block."""
    identity = Identity("arm of the weight", "rounding", arm_of_the_weight)
    with TREE_FUNCTIONS.including(Function(contract, derivation)), IDENTITIES.including(identity):
        yield


@pytest.mark.parametrize("model", ["double_pendulum", "four_bar"])
def test_it_is_generated_in_all_languages_and_certified(tmp_path: Path, model: str) -> None:
    with added():
        mbsym.generate(model, tmp_path)
        certificate = mbsym.verify(tmp_path, states=2)
    assert f"void {model}_weight_moment(" in (tmp_path / f"{model}.c").read_text(encoding="utf-8")
    for suffix in ("h", "py"):
        text = (tmp_path / f"{model}.{suffix}").read_text(encoding="utf-8").replace("*", "")
        assert CONTRACT.description.lower() in " ".join(text.split()).lower()
    manifest = json.loads((tmp_path / f"{model}.json").read_text(encoding="utf-8"))
    entry = next(function for function in manifest["functions"] if function["name"] == "weight_moment")
    assert entry["arguments"][1] == {"name": "moment", "direction": "out", "shape": [3], "unit": "N m"}
    assert certificate.passed
    checks = {(check.language, check.against) for check in certificate.checks if check.function == "weight_moment"}
    assert checks >= {("c", "arm of the weight"), ("numpy", "arm of the weight")}
    with pytest.raises(VerificationError, match="weight_moment has no check: it has no contract"):
        mbsym.verify(tmp_path, states=1)


@pytest.mark.parametrize("formulation", [name for name in FORMULATIONS if name != TRANSFER_MATRIX])
def test_every_formulation_has_it(tmp_path: Path, formulation: str) -> None:
    with added():
        mbsym.generate("spinning_top", tmp_path, languages=["numpy"], formulation=formulation)
    module = load_numpy(tmp_path / "spinning_top.py")
    assert np.asarray(module.functions["weight_moment"]([1.0, 0.0, 0.0, 0.0])).shape == (3,)


@pytest.mark.parametrize("form", ["text", "latex", "html", "json"])
def test_documents_show_it(capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert CONTRACT.display is not None
    with added():
        assert main(["derive", "double_pendulum", "--format", form]) == 0
    assert CONTRACT.display.sentence.removeprefix("n(q)") in capsys.readouterr().out


def test_messages_list_it() -> None:
    with added(), pytest.raises(DerivationError, match=r"it has .*weight_moment"):
        mbsym.generate("double_pendulum", functions=["weight"])


@pytest.mark.parametrize(
    ("contract", "complaint"),
    [
        (replace(CONTRACT, identities=()), "weight_moment has no check: its contract names none"),
        (replace(CONTRACT, identities=("arm of the load",)), "no identity is called 'arm of the load'"),
        (replace(CONTRACT, reference="weight_moment"), "the reference has no weight_moment"),
    ],
)
def test_without_a_check_it_is_an_error(tmp_path: Path, contract: Contract, complaint: str) -> None:
    with added(contract):
        mbsym.generate("double_pendulum", tmp_path, languages=["numpy"])
        with pytest.raises(VerificationError, match=complaint):
            mbsym.verify(tmp_path, states=1)


def test_a_wrong_derivation_is_found(tmp_path: Path) -> None:
    wrong = Function(CONTRACT, lambda mechanism: cross(mechanism.gravity, composite(mechanism)[1]))
    identity = Identity("arm of the weight", "rounding", arm_of_the_weight)
    with TREE_FUNCTIONS.including(wrong), IDENTITIES.including(identity):
        mbsym.generate("double_pendulum", tmp_path, languages=["numpy"])
        certificate = mbsym.verify(tmp_path, states=1)
    assert {check.function for check in certificate.checks if not check.passed} == {"weight_moment"}
