"""Functional mock-up units: valid, with the motion of ``mbsym simulate`` and exact directional derivatives."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.cli import main
from mbsym.codegen.build import WARNINGS
from mbsym.codegen.load import load_numpy
from mbsym.errors import CodegenError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mechanisms import bead
from mechanisms.examples import further, some

fmpy = pytest.importorskip("fmpy")

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "fmi" / "four_bar.py"
VERSIONS = ("3.0", "2.0")


def exported(directory: Path, model: str, version: str, binary: str = "yes", derivatives: str = "yes") -> str:
    settings = {"fmi": version, "binary": binary, "derivatives": derivatives, "step": "0.002"}
    mbsym.export(model, "fmu", directory, settings=settings)
    return str(directory / f"{model}.fmu")


def example() -> ModuleType:
    specification = importlib.util.spec_from_file_location("four_bar_unit", EXAMPLE)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("version", some(VERSIONS, ["2.0"]))
def test_the_example_moves_as_the_simulation(version: str, tmp_path: Path) -> None:
    """Co-simulation takes the same steps; model exchange has the error of CVode at 1e-10."""
    from fmpy.validation import validate_fmu

    module = example()
    unit = module.exported(tmp_path, version)
    assert validate_fmu(unit) == []
    for kind, method, allowed in (("CoSimulation", "rk4", 1e-11), ("ModelExchange", "DOP853", 2e-6)):
        known = mbsym.simulate("four_bar", module.END, step=module.STEP, output_step=module.INTERVAL, method=method)
        expected = np.hstack([known.q, known.v])
        assert np.abs(expected).max() > 10.0
        assert np.abs(module.states(unit, kind) - expected).max() < allowed, kind


@pytest.mark.parametrize("version", some(VERSIONS, ["3.0"]))
@pytest.mark.parametrize(
    ("model", "inputs"), [("dc_motor_arm", {"voltage": 12.0}), ("hydraulic_boom", {"command": 3e-4})]
)
def test_states_of_drives_move_as_in_the_simulation(
    model: str, inputs: dict[str, float], version: str, tmp_path: Path
) -> None:
    """Co-simulation takes the same steps; CVode at 1e-9 follows pressures of 1e6, of which that is a part."""
    unit = exported(tmp_path, model, version)
    names = [item.name for item in fmpy.read_model_description(unit).modelVariables if item.causality == "output"]
    known = mbsym.simulate(model, 0.1, step=0.002, output_step=0.02, method="rk4", loads=mbsym.Loads(inputs=inputs))
    exact = mbsym.simulate(model, 0.1, output_step=0.02, loads=mbsym.Loads(inputs=inputs))
    states = [*known.names, *known.speed_names, *(item.name for item in known.equations.mechanism.model.drives)]
    assert names[: len(states)] == states
    for kind, motion, allowed in (("CoSimulation", known, 1e-11), ("ModelExchange", exact, 1e-5)):
        table = fmpy.simulate_fmu(
            unit, fmi_type=kind, stop_time=0.1, output_interval=0.02, start_values=inputs, relative_tolerance=1e-9,
            output=states,
        )  # fmt: skip
        rows = np.searchsorted(table["time"], motion.t + 1e-9) - 1
        found = np.column_stack([table[name][rows] for name in states])
        expected = np.hstack([motion.q, motion.v, motion.x])
        assert (np.abs(found - expected).max(axis=0) < allowed * np.abs(expected).max(axis=0)).all(), kind


@pytest.mark.parametrize("version", some(VERSIONS, ["3.0"]))
def test_constraints_of_time_move_what_they_hold(version: str, tmp_path: Path) -> None:
    """Co-simulation takes the same steps; CVode at 1e-9 leaves a few times that."""
    model = bead.written(tmp_path)
    mbsym.export(str(model), "fmu", tmp_path, settings={"fmi": version, "binary": "yes", "step": "0.002"})
    known = mbsym.simulate(model, 1.0, step=0.002, output_step=0.1, method="rk4")
    for kind, allowed in (("CoSimulation", 1e-11), ("ModelExchange", 1e-6)):
        table = fmpy.simulate_fmu(
            str(tmp_path / "bead.fmu"), fmi_type=kind, stop_time=1.0, output_interval=0.1, relative_tolerance=1e-9
        )
        found = [float(table[name][-1]) for name in (*known.names, *known.speed_names)]
        np.testing.assert_allclose(found, np.hstack([known.q, known.v])[-1], rtol=0, atol=allowed)
        assert np.hypot(*found[:2]) == pytest.approx(np.cosh(1.5), abs=1e-6), kind


@pytest.mark.more
def test_a_quadruped_with_torques_moves_as_the_simulation(tmp_path: Path) -> None:
    unit = exported(tmp_path, "quadruped", "3.0", derivatives="no")
    description = fmpy.read_model_description(unit)
    names = [item.name for item in description.modelVariables if item.causality == "output"]
    forces = [item.name for item in description.modelVariables if item.causality == "input"]
    joints = [name for name in forces if not name.startswith("tau_floating")][-3:]
    given = {name: 0.2 * (k + 1) for k, name in enumerate(joints)}
    loads = mbsym.Loads(tau={name.replace("tau_", "v_"): value for name, value in given.items()})
    known = mbsym.simulate("quadruped", 0.1, step=0.002, output_step=0.02, method="rk4", loads=loads)
    expected = np.hstack([known.q, known.v])
    for kind, allowed in (("CoSimulation", 1e-11), ("ModelExchange", 1e-6)):
        table = fmpy.simulate_fmu(
            unit, fmi_type=kind, stop_time=0.1, output_interval=0.02, start_values=given, relative_tolerance=1e-9,
            output=names,
        )  # fmt: skip
        rows = np.searchsorted(table["time"], known.t + 1e-9) - 1
        found = np.column_stack([table[name][rows] for name in names])
        assert np.abs(found - expected).max() < allowed * np.abs(expected).max(), kind
    assert np.abs(expected[-1, -3:]).min() > 0.01


@contextmanager
def instance(unit: str) -> Iterator[tuple[Any, Mapping[str, int]]]:
    """A unit for model exchange in its continuous time, and the value references of its variables."""
    description = fmpy.read_model_description(unit)
    place = fmpy.extract(unit)
    found = fmpy.simulation.instantiate_fmu(place, description, "ModelExchange")
    try:
        if description.fmiVersion == "2.0":
            found.setupExperiment(startTime=0.0)
        found.enterInitializationMode()
        found.exitInitializationMode()
        yield found, {item.name: item.valueReference for item in description.modelVariables}
    finally:
        found.terminate()
        found.freeInstance()
        shutil.rmtree(place)


def read(unit: Any, references: list[int]) -> np.ndarray:
    return np.array(unit.getFloat64(references) if hasattr(unit, "getFloat64") else unit.getReal(references))


def write(unit: Any, references: list[int], values: np.ndarray) -> None:
    (unit.setFloat64 if hasattr(unit, "setFloat64") else unit.setReal)(references, list(values))


@pytest.mark.parametrize(
    ("model", "version"), [("spinning_top", "3.0"), ("cart_pole", "2.0"), ("four_bar", "3.0"), ("dc_motor_arm", "2.0")]
)
def test_directional_derivatives_are_differences(model: str, version: str, tmp_path: Path) -> None:
    """By states, inputs, forces and run-time parameters; differences of step h have errors of h^2 and epsilon/h."""
    with instance(exported(tmp_path, model, version)) as (unit, references):
        unknowns = [place for name, place in references.items() if name.startswith("der(")]
        knowns = [place for name, place in references.items() if name != "time" and place < min(unknowns)]
        rng = np.random.default_rng(2)
        values = read(unit, knowns) + 0.3 * rng.standard_normal(len(knowns))
        seed, h = rng.standard_normal(len(knowns)), 1e-5
        ends = []
        for step in (h, -h):
            write(unit, knowns, values + step * seed)
            ends.append(read(unit, unknowns))
        write(unit, knowns, values)
        found = np.array(unit.getDirectionalDerivative(unknowns, knowns, list(seed)))
        difference = (ends[0] - ends[1]) / (2 * h)
    assert np.abs(difference).max() > 0.1
    np.testing.assert_allclose(found, difference, rtol=1e-6, atol=1e-7 * np.abs(difference).max())


def test_a_driven_crank_starts_and_moves_as_its_motion_has_it(tmp_path: Path) -> None:
    """Starts are those of the law, and of speeds that fit it."""
    unit = exported(tmp_path, "driven_slider_crank", "3.0")
    # Beginning later, with another speed: the unit starts where the law is then.
    later = fmpy.simulate_fmu(
        unit, fmi_type="CoSimulation", start_time=0.01, stop_time=0.02, start_values={"speed": 60.0}
    )
    assert later["q_crank_bearing"] == pytest.approx(0.5 + 60 * later["time"], rel=1e-12)
    table = fmpy.simulate_fmu(unit, fmi_type="CoSimulation", stop_time=0.02, output_interval=0.005)
    known = mbsym.simulate("driven_slider_crank", 0.02, step=1e-3, output_step=0.005, method="rk4")
    assert table["q_crank_bearing"] == pytest.approx(0.5 + 100 * table["time"], rel=1e-12)
    for k, name in enumerate(known.names):
        assert table[name] == pytest.approx(known.q[:, k], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("version", VERSIONS)
def test_sources_compile_without_a_word_and_have_all_functions_of_the_standard(version: str, tmp_path: Path) -> None:
    exported(tmp_path, "spinning_top", version, binary="no")
    with zipfile.ZipFile(tmp_path / "spinning_top.fmu") as archive:
        archive.extractall(tmp_path / "unit")
        assert not [name for name in archive.namelist() if name.startswith("binaries")]
    sources = sorted(str(path) for path in (tmp_path / "unit" / "sources").glob("*.c"))
    library = tmp_path / "unit.so"
    command = ["gcc", *WARNINGS, "-O1", "-shared", "-fPIC", *sources, "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    handle = ctypes.CDLL(str(library))
    declared = (Path(fmpy.__file__).parent / "c-code" / f"fmi{version[0]}FunctionTypes.h").read_text()
    listed = sorted(set(re.findall(r"(fmi[23][A-Z]\w*)TYPE\b", declared)))
    assert len(listed) > 30
    assert [name for name in listed if not hasattr(handle, name)] == []


def test_importers_build_the_sources(tmp_path: Path) -> None:
    from fmpy.build import build_platform_binary

    unit = exported(tmp_path, "double_pendulum", "3.0", binary="no", derivatives="no")
    place = Path(fmpy.extract(unit))
    build_platform_binary(place)
    table = fmpy.simulate_fmu(str(place), fmi_type="CoSimulation", stop_time=0.1, start_values={"v_shoulder": 1.0})
    shutil.rmtree(place)
    assert abs(table[table.dtype.names[1]][-1]) > 0.0


def test_loops_are_closed_where_the_initial_values_leave_them_open(tmp_path: Path) -> None:
    unit = exported(tmp_path, "four_bar", "3.0", derivatives="no")
    table = fmpy.simulate_fmu(unit, fmi_type="CoSimulation", stop_time=0.002, start_values={"q_A": 1.1, "v_A": 2.0})
    q = np.array([table[name][0] for name in ("q_A", "q_B", "q_C")])
    v = np.array([table[name][0] for name in ("v_A", "v_B", "v_C")])
    mbsym.generate("four_bar", tmp_path / "py", languages=["numpy"])
    names: dict[str, Any] = {}
    exec((tmp_path / "py" / "four_bar.py").read_text(), names)
    assert np.abs(names["constraint_residual"](q)).max() < 1e-12
    assert np.abs(names["constraint_jacobian"](q) @ v).max() < 1e-12
    assert np.abs(v).max() > 0.1


def pushed(directory: Path, version: str) -> str:
    """A block of 2 kg with a force of 6 t, as a unit with steps of 0.05 s."""
    joint = mbsym.Joint("rail", "prismatic", "ground", "block", axis=(1, 0, 0))
    model = mbsym.Model("pushed", (mbsym.Body("block", 2),), (joint,), (mbsym.JointForce("push", "rail", "6*t"),))
    settings = {"fmi": version, "binary": "yes", "derivatives": "no", "step": "0.05"}
    mbsym.export(model, "fmu", directory, settings=settings)
    return str(directory / "pushed.fmu")


@pytest.mark.parametrize("version", VERSIONS)
def test_stages_of_a_step_have_their_own_times(version: str, tmp_path: Path) -> None:
    """Steps of fourth order integrate polynomials of time exactly, if each stage is evaluated at its time."""
    table = fmpy.simulate_fmu(
        pushed(tmp_path, version), fmi_type="CoSimulation", start_time=1.0, stop_time=2.0, output_interval=0.25
    )
    t = table["time"]
    assert t[-1] == 2.0
    # Some units in the last place of what is summed.
    np.testing.assert_allclose(table["v_rail"], 1.5 * (t**2 - 1.0), atol=1e-14)
    np.testing.assert_allclose(table["q_rail"], 0.5 * t**3 - 1.5 * t + 1.0, atol=1e-14)


@pytest.mark.parametrize("version", VERSIONS)
def test_infinite_states_are_no_result(version: str, tmp_path: Path) -> None:
    """Forces near the largest number, none of which is infinite itself, sum up to infinite speeds."""
    from fmpy.fmi1 import FMICallException

    unit = pushed(tmp_path, version)
    with pytest.raises(FMICallException, match="DoStep"):
        fmpy.simulate_fmu(unit, fmi_type="CoSimulation", stop_time=1.0, start_values={"tau_rail": 1.5e308})


def test_what_cannot_be_derived_is_told_and_refused(tmp_path: Path) -> None:
    done = mbsym.export("four_bar", "fmu", tmp_path, symbolic_parameters="all", settings={"binary": "yes"})
    assert len(done.notes) == 1 and "no directional derivatives: with closed loops" in done.notes[0]
    unit = str(tmp_path / "four_bar.fmu")
    assert 'providesDirectionalDerivatives="true"' not in (tmp_path / "modelDescription.xml").read_text()
    lengths = {"l_crank": 0.29}
    table = fmpy.simulate_fmu(unit, fmi_type="CoSimulation", stop_time=0.1, start_values=lengths)
    known = mbsym.simulate("four_bar", 0.1, method="rk4", parameters=lengths)
    assert table["q_A"][0] != pytest.approx(mbsym.simulate("four_bar", 0.01, method="rk4").q[0, 0], abs=1e-6)
    assert table["q_A"][-1] - table["q_A"][0] == pytest.approx(known.q[-1, 0] - known.q[0, 0], abs=5e-2)


# ---- outputs of the model and of frames ------------------------------------------------------------------------------

CRANE = """name: crane
parameters: {l: {value: 0.4, unit: m, symbolic: true}}
inputs: {pull: N}
bodies:
  boom: {mass: 2, center_of_mass: [0.2, 0, 0], inertia: [0.1, 0.2, 0.2]}
  hook: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  slew: {type: spherical, from: ground, to: boom}
  rope: {type: prismatic, from: boom, to: hook, axis: x, at: [0.3, 0, 0], coordinates: s}
frames:
  top: {body: boom, at: [l, 0, 0.1]}
forces:
  motor: {type: actuator, joint: rope, input: pull}
outputs:
  height: {expression: position(top).z, unit: m}
  reach: "distance(hook, ground)/l"
  push: {expression: pull*velocity(hook).x + sin(t), unit: W}
  tau_rope: "2"
"""
FRAMES = ("hook", "top", "joint:slew")
FIRST = {"height": "output position(top).z", "reach": "output distance(hook, ground)/l"}


def crane(text: str = CRANE) -> mbsym.Model:
    return read_native(TextSource("crane.yaml", text))


def crane_unit(directory: Path, version: str, **options: Any) -> str:
    mbsym.export(crane(), "fmu", directory, settings={"fmi": version, "binary": "yes"}, **options)
    return str(directory / "crane.fmu")


@pytest.mark.parametrize(("version", "axes"), [("3.0", "local"), *further(("2.0", "aligned"))])
def test_outputs_are_those_of_the_module(version: str, axes: Any, tmp_path: Path) -> None:
    """Of the model and of frames, after inputs, parameters and states were set, and again at another time."""
    from fmpy.validation import validate_fmu

    unit = crane_unit(tmp_path, version, frames=FRAMES, frame_axes=axes)
    assert validate_fmu(unit) == []
    told = [item for item in fmpy.read_model_description(unit).modelVariables if item.causality == "output"][9:]
    names = [item.name for item in told]
    assert names[:5] == ["height", "reach", "push", "tau_rope_2", "frame.hook.x"] and len(names) == 4 + 18 * len(FRAMES)
    assert {item.name: item.description for item in told[:2]} == FIRST
    units = {item.name: item.unit for item in told}
    assert [units[name] for name in ("height", "reach", "push", "frame.top.z", "frame.top.R[2,1]")] == [
        "m", None, "W", "m", None
    ]  # fmt: skip
    mbsym.generate(crane(), tmp_path / "py", languages=["numpy"], frames=FRAMES, frame_axes=axes)
    module = load_numpy(tmp_path / "py" / "crane.py").functions
    rng = np.random.default_rng(4)
    with instance(unit) as (made, references):
        for t in (0.0, 0.7):
            made.setTime(t)
            q, v, (pull, l) = rng.standard_normal(5), rng.standard_normal(4), rng.uniform(0.5, 1.0, 2)
            q[:4] /= np.linalg.norm(q[:4])
            coordinates = [*(f"q_slew_{axis}" for axis in "wxyz"), "s"]
            speeds = [*(f"v_slew_{axis}" for axis in "xyz"), "v_rope"]
            places = [references[name] for name in (*coordinates, *speeds, "pull", "l")]
            write(made, places, np.array([*q, *v, pull, l]))
            given = {"parameters": {"l": l}}
            expected = dict(zip(names, module["outputs"](q, v, t, [pull], **given), strict=False))
            poses, velocities = module["frame_pose"](q, **given), module["frame_velocity"](q, v, **given)
            for frame, pose, velocity in zip(FRAMES, poses, velocities, strict=True):
                expected |= {f"frame.{frame}.{axis}": pose[k, 3] for k, axis in enumerate("xyz")}
                expected |= {f"frame.{frame}.R[{i + 1},{k + 1}]": pose[i, k] for i in range(3) for k in range(3)}
                kinds = [f"{letter}_{axis}" for letter in ("omega", "v") for axis in "xyz"]
                expected |= {f"frame.{frame}.{kind}": x for kind, x in zip(kinds, velocity, strict=True)}
            assert set(expected) == set(names)
            found = read(made, [references[name] for name in names])
            np.testing.assert_allclose(found, [expected[name] for name in names], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("version", some(VERSIONS, ["3.0"]))
def test_outputs_have_directional_derivatives(version: str, tmp_path: Path) -> None:
    """Of matrices too, whose Jacobians count entries column by column; one along time by itself."""
    with instance(crane_unit(tmp_path, version, frames=FRAMES)) as (unit, references):
        # What is told of the state follows what is calculated in the array of variables.
        last = max(place for name, place in references.items() if name.startswith("v_"))
        knowns = [place for place in references.values() if 0 < place <= last]
        unknowns = [place for place in references.values() if place > last]
        rng = np.random.default_rng(5)
        values, h = read(unit, knowns) + 0.3 * rng.standard_normal(len(knowns)), 1e-5
        seed, ends = rng.standard_normal(len(knowns)), []
        for step in (h, -h):
            write(unit, knowns, values + step * seed)
            ends.append(read(unit, unknowns))
        write(unit, knowns, values)
        found = np.array(unit.getDirectionalDerivative(unknowns, knowns, list(seed)))
        difference = (ends[0] - ends[1]) / (2 * h)
        assert len(unknowns) == 9 + 4 + 18 * len(FRAMES)
        assert np.count_nonzero(np.abs(difference) > 1e-3) > 40
        np.testing.assert_allclose(found, difference, rtol=1e-6, atol=1e-7 * np.abs(difference).max())
        unit.setTime(0.3)
        along_time = unit.getDirectionalDerivative([references["push"], references["height"]], [0], [1.0])
        assert list(along_time) == [pytest.approx(np.cos(0.3), rel=1e-14), 0.0]


@pytest.mark.parametrize("version", some(VERSIONS, ["2.0"]))
def test_outputs_of_closed_loops_move_as_in_the_simulation(version: str, tmp_path: Path) -> None:
    model = examples.load("four_bar")
    outputs = (
        mbsym.NamedExpression("lever", "sin(q_C)*v_B", "m/s"),
        mbsym.NamedExpression("far", "position(coupler).x", "m"),
    )
    model = replace(model, outputs=outputs)
    mbsym.export(model, "fmu", tmp_path, settings={"fmi": version, "binary": "yes", "step": "0.002"})
    known = mbsym.simulate(model, 0.2, step=0.002, output_step=0.02, method="rk4")
    assert np.ptp(known.y, axis=0).min() > 1e-3
    for kind, allowed in (("CoSimulation", 1e-11), ("ModelExchange", 1e-5)):
        table = fmpy.simulate_fmu(
            str(tmp_path / "four_bar.fmu"), fmi_type=kind, stop_time=0.2, output_interval=0.02,
            relative_tolerance=1e-10, output=["lever", "far"],
        )  # fmt: skip
        rows = np.searchsorted(table["time"], known.t + 1e-9) - 1
        found = np.column_stack([table["lever"][rows], table["far"][rows]])
        assert np.abs(found - known.y).max() < allowed, kind


def test_where_an_output_has_no_value_states_have(tmp_path: Path) -> None:
    """Two origins in one place have no direction from one to the other; rates do not ask for it."""
    from fmpy.fmi1 import FMICallException

    model = crane(
        CRANE.replace("at: [0.3, 0, 0], ", "").replace('"distance(hook, ground)/l"', '"direction(hook, ground).x"')
    )
    mbsym.export(model, "fmu", tmp_path, settings={"binary": "yes", "derivatives": "no"})
    with instance(str(tmp_path / "crane.fmu")) as (unit, references):
        assert read(unit, [references["der(v_rope)"], references["s"]])[1] == 0.0
        with pytest.raises(FMICallException):
            read(unit, [references["height"]])
        write(unit, [references["s"]], np.array([0.5]))
        assert read(unit, [references["reach"]]) == pytest.approx([-1.0])


@pytest.mark.parametrize("version", some(VERSIONS, ["3.0"]))
def test_sources_with_outputs_compile_without_a_word(version: str, tmp_path: Path) -> None:
    for derivatives in ("yes", "no"):
        place = tmp_path / derivatives
        mbsym.export(crane(), "fmu", place, settings={"fmi": version, "derivatives": derivatives}, frames=FRAMES)
        sources = sorted(str(path) for path in place.glob("*.c"))
        command = ["gcc", *WARNINGS, "-O1", "-shared", "-fPIC", *sources, "-o", str(place / "unit.so"), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_archives_have_the_same_bytes_and_no_date(tmp_path: Path) -> None:
    first, second = (Path(exported(tmp_path / name, "cart_pole", "3.0", "no")).read_bytes() for name in "ab")
    assert first == second
    with zipfile.ZipFile(tmp_path / "a" / "cart_pole.fmu") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_a_foreign_archive_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "cart_pole.fmu").write_bytes(b"mine")
    with pytest.raises(CodegenError, match="not written by mbsym"):
        exported(tmp_path, "cart_pole", "3.0", "no")
    assert [path.name for path in tmp_path.iterdir()] == ["cart_pole.fmu"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cart_pole", "--fmi", "1.0"], "there is no FMI 1.0; use 3.0 or 2.0"),
        (["cart_pole", "--set", "step=-1"], "'-1' is no length of a step"),
        (["cart_pole", "--set", "binary=perhaps"], "'perhaps' is neither yes nor no"),
        (["cart_pole", "--real", "float"], "fmu cannot take float: FMI's states are doubles"),
        (["cart_pole", "--function", "mass_matrix"], "has states and rates, not functions"),
        (["double_pendulum", "--formulation", "transfer-matrix"], "has no forward_dynamics"),
    ],
)
def test_mistakes_have_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["export", "fmu", *arguments, "-o", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
