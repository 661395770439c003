"""`verify --exact`: texts that were written are proven, and edits of them are named, signed again or not."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym import Tyre, examples, generate, verify
from mbsym.codegen.load import load_c
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.exact.proof import ERROR, Verdict
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.texts.c_reader import read_c
from mbsym.texts.machine import Arithmetic, Machine, View
from mbsym.verification.anew import derived_anew
from mbsym.verification.exact_texts import exact_verdicts
from mbsym.verification.witnesses import Witnesses
from mechanisms.character_edits import character_edits
from mechanisms.examples import further, some
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.text_edits import sign

Run = Callable[..., Any]
TREES = (
    *("cart_pole", "double_pendulum", "floating_two_arm", "planar_3r", "puma560", "spinning_top"),
    *("dc_motor_arm", "bouncing_ball"),
)
LOOPS = (
    *("four_bar", "slider_crank", "five_bar", "rhombus_planar", "rhombus_symmetric"),
    *("rolling_disc", "driven_slider_crank", "hydraulic_boom", "cam_valve", "engine"),
)
WHAT_ITERATES = {"project_position", "project_position_report"}
NOT_RATIONAL = {"closure_scale", "closed_form_position"}
"""Sums of sizes, and arcs."""

OF_ROWS = ("closure_gap", "constrained_dynamics", "constrained_wrenches", "position_correction")
"""And what they call."""

ROUNDED = re.compile(r"numbers in it were rounded")
KNOWN = re.compile(
    r"no definition|branches or is not rational|no square of the field|has all roots|no angle of a joint|rotor asks|"
    r"turns about no axis of its own|motors are more or fewer|derivative of|not equal for all such functions"
)
"""Why functions of random mechanisms are not proven."""


def verdicts(directory: Path, name: str) -> tuple[Verdict, ...]:
    manifest = read_manifest(directory / f"{name}.json")
    return exact_verdicts(directory, manifest, read_native(TextSource(name, manifest["model"])))


@pytest.mark.parametrize("name", some(TREES, ("cart_pole", "dc_motor_arm", "bouncing_ball")))
def test_every_function_of_a_tree_is_proven_in_every_text(name: str, tmp_path: Path) -> None:
    generate(name, tmp_path, batch="all")
    found = verdicts(tmp_path, name)
    assert {each.outcome for each in found} == {"proven"}, [each for each in found if each.outcome != "proven"]
    assert {"c", "numpy"} <= {each.text for each in found}
    assert all(0 < each.probability < ERROR and each.points >= 2 for each in found)


@pytest.mark.parametrize("name", some(LOOPS, ("four_bar", "rolling_disc")))
def test_of_closed_loops_what_does_not_iterate_is_proven(name: str, tmp_path: Path) -> None:
    generate(name, tmp_path)
    for each in verdicts(tmp_path, name):
        left = NOT_RATIONAL | WHAT_ITERATES
        assert each.outcome == "proven" or (each.outcome == "not proven" and each.function in left), each
        assert each.probability < ERROR


def test_a_law_that_is_not_read_leaves_what_needs_no_forces(tmp_path: Path) -> None:
    functions = ("inverse_dynamics", "mass_matrix")
    tyre = Tyre("tread", "ball", "ground", 0.02, 2e4, 1, 1)
    generate(replace(examples.load("bouncing_ball"), forces=(tyre,)), tmp_path, languages=("c",), functions=functions)
    found = {each.function: each for each in verdicts(tmp_path, "bouncing_ball")}
    assert [found[name].outcome for name in functions] == ["not proven", "proven"]
    assert "tyre" in found["inverse_dynamics"].why


@pytest.mark.parametrize(
    ("name", "function", "old", "new"),
    [
        ("bouncing_ball", "inverse_dynamics", " < 0.0 ? -1.0", " < 0.0 ? 1.0"),
        ("bouncing_ball", "inverse_dynamics", "0.3*", "0.31*"),
        ("cam_valve", "constraint_residual", "0.345", "0.346"),
        ("engine", "outputs", "> 0.0 ?", "< 0.0 ?"),
    ],
)
def test_faults_in_laws_and_tables_show_in_results(
    name: str, function: str, old: str, new: str, tmp_path: Path
) -> None:
    """On whichever side of a condition and in whichever piece: where another version wrote a text its numbers tell."""
    generate(name, tmp_path, languages=("c",), functions=(function,))
    manifest = tmp_path / f"{name}.json"
    content = json.loads(manifest.read_text(encoding="utf-8")) | {"mbsym": "0.0.9"}
    file, model = tmp_path / f"{name}.c", read_native(TextSource(name, content["model"]))
    text = file.read_text(encoding="utf-8")
    assert old in text
    for written, outcomes in ((text, {"proven"}), (text.replace(old, new, 1), {"differs", "not proven"})):
        file.write_text(written, encoding="utf-8")
        found = {each.function: each.outcome for each in exact_verdicts(tmp_path, content, model)}
        assert found[function] in outcomes


@pytest.mark.parametrize("seed", some((11, 20, 21, 24, 27, 30, 34, 49, 69), (24,)))
def test_random_loops_of_all_joints_and_constraints_are_what_their_poses_say(seed: int, tmp_path: Path) -> None:
    """Of velocity, a distance, a point on a line, an expression, rolling; universal, planar, fixed, helical joints."""
    model, _ = random_closed_loops(seed, bodies=(2, 3), loops=(1, 2))
    generate(model, tmp_path, languages=("c",), functions=OF_ROWS)
    found = verdicts(tmp_path, model.name)
    told = {each.function: each for each in found if each.outcome != "proven"}
    for name, each in told.items():
        held = ROUNDED if each.outcome == "agrees" else KNOWN if each.outcome == "not proven" else None
        assert name in WHAT_ITERATES or (held and held.search(each.why)), each
    assert found


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("cart_pole", {"batch": "all", "languages": ("c", "numpy", "batch")}),
        ("double_pendulum", {"style": "shared"}),
        *further(
            ("puma560", {"real": "float", "trigonometry": "inline"}),
            ("puma560", {"symbolic_parameters": "all", "prepare": True}),
            ("puma560", {"trigonometry": "argument"}),
            ("puma560", {"style": "shared"}),
            ("quadruped", {"style": "limbs", "functions": ("inverse_dynamics", "forward_dynamics")}),
        ),
    ],
    ids=str,
)
def test_other_ways_of_writing_are_proven(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    generate(name, tmp_path, **options)
    found = verdicts(tmp_path, name)
    makers = {"prepare", "sines_cosines"}
    assert {each.outcome for each in found if each.function not in makers} == {"proven"}, found
    if "batch" in options:
        assert {"batch", "batch, vectors of SSE2"} <= {each.text for each in found}


@pytest.mark.parametrize(
    ("name", "functions"),
    [
        ("cart_pole", ("forward_dynamics_derivatives", "inverse_mass_matrix", "joint_wrenches_of_motion")),
        *further(
            ("puma560", ("inverse_dynamics_derivatives", "forward_dynamics_with_derivatives")),
            ("floating_two_arm", ("tangent_map", "centroidal_momentum_matrix", "centroidal_momentum_rate_v")),
        ),
    ],
)
def test_derivatives_are_slopes_of_the_definitions(name: str, functions: tuple[str, ...], tmp_path: Path) -> None:
    asked = (("mass_matrix", ("q",)), ("mass_matrix_by_q", ("q",)))
    generate(name, tmp_path, derivatives=asked[: 2 if name == "cart_pole" else 1], functions=functions)
    found = verdicts(tmp_path, name)
    assert {each.outcome for each in found} == {"proven"}, [each for each in found if each.outcome != "proven"]
    assert "mass_matrix_by_q" in {each.function for each in found}


def test_of_loops_derivatives_and_one_step_of_newton_are_proven(tmp_path: Path) -> None:
    functions = ("constrained_dynamics_derivatives", "position_correction", "actuated_inverse_dynamics")
    generate("four_bar", tmp_path, functions=functions, languages=("c",))
    found = {each.function: each for each in verdicts(tmp_path, "four_bar")}
    assert {found[name].outcome for name in functions} == {"proven"}, found


@pytest.mark.parametrize("name", some(("four_bar", "quadruped", "puma560"), ("four_bar",)))
def test_the_machine_gives_the_bits_that_the_compiled_text_gives(name: str, tmp_path: Path) -> None:
    """In straight C the order of operations is that of the text, and the library is the same."""
    generate(name, tmp_path, style="straight", trigonometry="libm")
    headers = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.h")}
    text = read_c((tmp_path / f"{name}.c").read_text(encoding="utf-8"), headers)
    library: dict[str, Any] = {each: getattr(math, each) for each in ("sin", "cos", "sqrt", "atan2")} | {"fabs": abs}
    names = {"HUGE_VAL": math.inf, "NAN": math.nan}
    machine = Machine(text, Arithmetic(lambda number: float(number.value), library, {}, names))
    rng, compared = np.random.default_rng(0), 0
    for function in load_c(tmp_path, name).functions.values():
        inputs = [rng.uniform(0.3, 1.2, item.shape) for item in function.inputs]
        outputs = [View([None] * max(1, math.prod(item.shape))) for item in function.outputs]
        given = [View(x.ravel().tolist()) if x.shape else float(x) for x in map(np.asarray, inputs)]
        machine.call(f"{name}_{function.name}", [*given, *outputs])
        results = function(*inputs)
        for output, result in zip(outputs, results if isinstance(results, tuple) else (results,), strict=False):
            np.testing.assert_array_equal(np.array(output.cells, dtype=float), np.ravel(result), function.name)
            compared += 1
    assert compared > 12


@pytest.mark.parametrize(("name", "seed"), [("cart_pole", 5), *further(("puma560", 4), ("four_bar", 3))])
def test_edits_of_one_character_are_named(name: str, seed: int, tmp_path: Path) -> None:
    generate(name, tmp_path)
    for suffix in (".c", ".py"):
        file = tmp_path / f"{name}{suffix}"
        text = file.read_text(encoding="utf-8")
        for edit in character_edits(text, python=suffix == ".py", seed=seed, count=3):
            file.write_text(edit.applied(text), encoding="utf-8")
            assert Counter(each.outcome for each in verdicts(tmp_path, name))["differs"], edit
        file.write_text(text, encoding="utf-8")


def test_faults_in_arithmetic_of_arrays_show_in_results(tmp_path: Path) -> None:
    """Where another version wrote a text nothing but its numbers tells, on one state and on two side by side."""
    generate("four_bar", tmp_path, languages=("numpy",), functions=("project_velocity",))
    file, manifest = tmp_path / "four_bar.py", tmp_path / "four_bar.json"
    content = json.loads(manifest.read_text(encoding="utf-8")) | {"mbsym": "0.0.9"}
    model, text = read_native(TextSource("four_bar", content["model"])), file.read_text(encoding="utf-8")
    for old, new, outcome in (
        ("", "", "proven"),
        ("v_consistent[...] -= np.einsum", "v_consistent[...] += np.einsum", "differs"),
        ("(a[j, :j] * a[:j, j]).sum(axis=0)", "(a[j, :j] * a[:j, j]).sum(axis=-1)", "differs"),
        ("_OK = int(Status.OK)", "_OK = int(Status.OKAY)", "differs"),
    ):
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        found = {each.function: each.outcome for each in exact_verdicts(tmp_path, content, model)}
        assert found["project_velocity"] == outcome, old


def test_a_text_that_ends_its_process_is_told_and_ends_nothing_else(tmp_path: Path) -> None:
    """Arithmetic of arrays is run as it stands, and what stands there may be anything."""
    generate("four_bar", tmp_path, languages=("numpy",), functions=("project_velocity",))
    file, place = tmp_path / "four_bar.py", "    v_consistent[...] -= np.einsum"
    text = file.read_text(encoding="utf-8")
    assert text.count(place) == 1
    file.write_text(text.replace(place, f"    __import__('os')._exit(7)\n{place}"), encoding="utf-8")
    exact = verify(tmp_path, states=1, exact=True).exact
    assert exact is not None
    assert exact.failures == ("project_velocity (exactly)",)
    assert "exit status 7" in exact.verdicts[0].why


ALIKE = """
name: alike
ground: base
bodies:
  upper: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
  lower: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
  hand: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
joints:
  shoulder: {type: revolute, from: base, to: upper, axis: y}
  elbow: {type: revolute, from: upper, to: lower, axis: y, at: [0, 0, 0.3]}
  wrist: {type: revolute, from: lower, to: hand, axis: y, at: [0, 0, "0.3 + 1/10**20"]}
"""


def test_numbers_that_round_to_one_literal_stand_each_in_its_places(tmp_path: Path) -> None:
    """Two lengths are printed alike and are not the same: each is proven where it stands, and an edit is told."""
    model = read_native(TextSource("alike", ALIKE))
    generate(model, tmp_path, functions=("body_poses",), trigonometry="libm")
    assert Witnesses(derived_anew(model, read_manifest(tmp_path / "alike.json"))).marks
    assert {each.outcome for each in verdicts(tmp_path, "alike")} == {"proven"}
    file = tmp_path / "alike.c"
    text = file.read_text(encoding="utf-8")
    assert "0.3*" in text
    file.write_text(text.replace("0.3*", "0.30000000000000004*", 1), encoding="utf-8")
    assert Counter(each.outcome for each in verdicts(tmp_path, "alike"))["differs"] == 1


def test_an_edit_that_changes_no_value_is_no_difference(tmp_path: Path) -> None:
    """Sums in another order are the same function, and the proof says so."""
    generate("cart_pole", tmp_path)
    file = tmp_path / "cart_pole.c"
    text = file.read_text(encoding="utf-8")
    changed = text.replace("= m_cart + m_pole;", "= m_pole + m_cart;")
    assert changed != text
    file.write_text(changed, encoding="utf-8")
    assert {each.outcome for each in verdicts(tmp_path, "cart_pole")} == {"proven"}


def test_the_command_names_function_and_entry_though_the_manifest_is_signed_again(run: Run, tmp_path: Path) -> None:
    generate(examples.load("double_pendulum"), tmp_path)
    good = run("verify", tmp_path, "--states", "1", "--exact", "--json")
    assert good.status == 0
    told = json.loads(good.out)["exact"]
    assert {each["outcome"] for each in told["functions"]} == {"proven"} and told["probability_of_error"] < ERROR
    file = tmp_path / "double_pendulum.py"
    text = file.read_text(encoding="utf-8")
    assert "9.81*" in text
    # Too small for tolerances, and not the same.
    file.write_text(text.replace("9.81*", "9.8100000000001*", 1), encoding="utf-8")
    sign(tmp_path / "double_pendulum.json")
    bad = run("verify", tmp_path, "--states", "1", "--exact")
    assert bad.status == 1
    assert "numpy: 13 of 14 functions proven" in bad.out and "DIFFERS: forward_dynamics: " in bad.out
    assert "vdot[0] and 1 more in the field" in bad.out
    page = (tmp_path / "double_pendulum.certificate.md").read_text(encoding="utf-8")
    assert "**failed: _forward_dynamics: it is not what this version writes" in page and "NOT VERIFIED" in page


@pytest.mark.parametrize(
    ("suffix", "old", "new"),
    [
        (".c", "> four_bar_VANISHES)", "> 2 * four_bar_VANISHES)"),
        *further(
            (".c", "four_bar_ITERATIONS 12", "four_bar_ITERATIONS 13"),
            (".h", "four_bar_SINGULAR = 1", "four_bar_SINGULAR = 2"),
        ),
        (".h", "const four_bar_real q[3]", "const four_bar_real q[8]"),
        (".py", "value >= 0,", "value >= -1e-3,"),
    ],
)
def test_what_no_value_shows_must_be_what_is_written(suffix: str, old: str, new: str, tmp_path: Path) -> None:
    """Guards, ends of iterations and codes of statuses change no value on the branches that are followed."""
    generate("four_bar", tmp_path, functions=("actuated_inverse_dynamics", "closed_form_position", "project_position"))
    file = tmp_path / f"four_bar{suffix}"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    told = [each.why for each in verdicts(tmp_path, "four_bar") if each.outcome == "differs"]
    assert told and all("it is not what this version writes" in why for why in told)


def test_what_another_version_wrote_is_proven_and_not_compared_and_says_so(tmp_path: Path) -> None:
    generate("cart_pole", tmp_path, languages=("c",))
    manifest = tmp_path / "cart_pole.json"
    content = json.loads(manifest.read_text(encoding="utf-8")) | {"mbsym": "0.0.9"}
    manifest.write_text(json.dumps(content), encoding="utf-8")
    *others, last = exact_verdicts(tmp_path, content, read_native(TextSource("cart_pole", content["model"])))
    assert {each.outcome for each in others} == {"proven"}
    assert last.outcome == "not proven" and last.why.startswith("mbsym 0.0.9 wrote it")


def test_a_text_that_no_version_wrote_is_told_with_its_line(tmp_path: Path) -> None:
    generate("cart_pole", tmp_path, languages=("c",))
    file = tmp_path / "cart_pole.c"
    file.write_text(file.read_text(encoding="utf-8").replace("qdot[0] = ", "qdot[0] @ ", 1), encoding="utf-8")
    (found,) = verdicts(tmp_path, "cart_pole")
    assert found.outcome == "differs" and "is no word of C" in found.why and "line " in found.why
