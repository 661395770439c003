"""The inertia of one body as run-time parameters."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.codegen.load import LoadedModule, load_numpy
from mbsym.errors import ModelError
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model import inertial_parameters
from mbsym.model.inertial_parameters import with_inertial_parameters
from mbsym.model.system import Model
from mbsym.model.validate import require_valid
from mbsym.pipeline import generate
from mbsym.verification.certificate import verify
from mechanisms.benchmark_chains import benchmark_chain

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "center_of_mass", "momentum")


def module(model: Model, directory: Path, symbolic: tuple[str, ...] | str = "none") -> LoadedModule:
    generate(model, directory, languages=["numpy"], functions=FUNCTIONS, symbolic_parameters=symbolic)
    (file,) = directory.glob("*.py")
    return load_numpy(file)


def test_a_payload_at_run_time_is_that_of_a_model_made_with_it(tmp_path: Path) -> None:
    model = examples.load("puma560")
    last = model.bodies[-1]
    inertia = ("0.02", "0.03", "0.04", "0.001", 0, "-0.002")
    held = replace(last, mass="1.7", center_of_mass=("0.01", "-0.02", "0.13"), inertia=inertia)
    assert held.inertia_about == "center_of_mass"
    other = module(replace(model, bodies=(*model.bodies[:-1], held)), tmp_path / "regenerated")
    ours = module(model, tmp_path / "ours", (f"{last.name}.inertial",))
    assert verify(tmp_path / "ours", states=3).passed
    loaded, names = with_inertial_parameters(replace(model, bodies=(*model.bodies[:-1], held)), last.name)
    payload = {item.name: float(Fraction(item.value)) for item in loaded.parameters if item.name in names}
    assert len(payload) == 10
    rng = np.random.default_rng(3)
    for name in FUNCTIONS:
        inputs = [rng.normal(size=6) for _ in ours.functions[name].inputs]
        theirs = np.asarray(other.functions[name](*inputs))
        found = np.asarray(ours.functions[name](*inputs, parameters=payload))
        assert np.abs(found - theirs).max() < 1e-13 * max(1.0, np.abs(theirs).max())
        assert np.abs(np.asarray(ours.functions[name](*inputs)) - theirs).max() > 1e-4


def test_values_are_exact_and_survive_a_file() -> None:
    model = examples.load("planar_3r")
    body = model.bodies[0]
    moved = replace(model, bodies=(replace(body, mass="0.3", center_of_mass=("0.1", 0, "0.7")), *model.bodies[1:]))
    loaded, names = with_inertial_parameters(moved, body.name)
    values = {item.name: item.value for item in loaded.parameters}
    assert [values[name] for name in names[:4]] == [Fraction(3, 10), Fraction(3, 100), 0, Fraction(21, 100)]
    require_valid(loaded)
    again = read_native(TextSource("m.yaml", dump_native(loaded)))
    assert again.bodies[0].first_moment == names[1:4]
    assert dump_native(again) == dump_native(loaded)


def test_names_that_are_taken_or_missing() -> None:
    model = examples.load("planar_3r")
    body = model.bodies[0].name
    loaded, _ = with_inertial_parameters(model, body)
    with pytest.raises(ModelError, match=f"parameter '{body}_mass' already"):
        with_inertial_parameters(loaded, body)
    with pytest.raises(ModelError, match="no body is named 'nobody'"):
        with_inertial_parameters(model, "nobody")


def test_a_first_moment_stands_alone() -> None:
    model = examples.load("planar_3r")
    body = model.bodies[0]
    weightless = replace(body, mass=0, center_of_mass=(0, 0, 0), inertia_about="frame", first_moment=(1, 0, 0))
    for wrong, complaint in (
        (replace(body, first_moment=(1, 0, 0)), "beside a centre of mass"),
        (weightless, "without mass"),
    ):
        with pytest.raises(ModelError, match=complaint):
            require_valid(replace(model, bodies=(wrong, *model.bodies[1:])))


def test_a_body_whose_name_begins_with_a_digit(tmp_path: Path) -> None:
    text = "bodies: {2a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {type: revolute, from: ground, to: 2a}}\n"
    model = read_native(TextSource("m.yaml", text))
    done = mbsym.generate(model, tmp_path, functions=("mass_matrix",), symbolic_parameters=("2a.inertial",))
    assert done.derivation.mechanism.symbolic_parameters[0] == "body_2a_mass"
    assert mbsym.verify(tmp_path, states=2).passed


def test_parameters_are_read_once_for_all_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that are read grow with the bodies, not with their square."""
    read: list[object] = []
    own = inertial_parameters.to_scalar
    monkeypatch.setattr(inertial_parameters, "to_scalar", lambda *given: read.append(given) or own(*given))
    counts = []
    for bodies in (10, 20, 30):
        read.clear()
        model = benchmark_chain(bodies)
        loaded, names = with_inertial_parameters(model, *(body.name for body in model.bodies))
        assert len(names) == 10 * bodies and len(loaded.parameters) == len(model.parameters) + 10 * bodies
        counts.append(len(read))
    assert counts[1] - counts[0] == counts[2] - counts[1] > 0
