"""Bounds of generated code: above what compiled code does, confirmed by whole numbers; no fault in a file passes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.codegen.load import load_c
from mbsym.errors import CodegenError, FormatError, TextError
from mbsym.rounding.certify import certify, read_text_of, tape_of
from mbsym.rounding.checking import check_bounds
from mbsym.rounding.results import Bounds
from mbsym.rounding.samples import computed, evaluated
from mechanisms.examples import further, some
from mechanisms.random_trees import random_tree

BOX = "v: [-2, 2]\nvdot: [-5, 5]\ntau: [-20, 20]\n"

FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "body_poses")


def boxed(directory: Path, text: str) -> Path:
    path = directory / "box.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def generated(name: str, directory: Path, **options: Any) -> Path:
    mbsym.generate(name, directory, languages=["c"], functions=FUNCTIONS, **options)
    return directory


@pytest.mark.parametrize(("name", "real"), [("planar_3r", "float"), *further(("puma560", "double"))])
def test_errors_of_arms_stay_below_their_bounds(name: str, real: str, tmp_path: Path) -> None:
    """At other states than those that are told, with another compiler's level, and not far below."""
    found = certify(generated(name, tmp_path, real=real), boxed(tmp_path, BOX), effort=0.15, samples=1000)
    assert found.passed and {item.name for item in found.functions} == set(FUNCTIONS)
    module = load_c(tmp_path, name, ("-std=c99", "-O0"))
    text, _ = read_text_of(tmp_path, module.manifest)
    for function in found.functions:
        entry = next(each for each in module.manifest["functions"] if each["name"] == function.name)
        tape = tape_of(entry, text, module.manifest)
        rng = np.random.default_rng(11)
        low, high = np.array(function.low)[:, None], np.array(function.high)[:, None]
        states = rng.uniform(low, high, (len(low), 500)).astype(np.float32).astype(float).clip(low, high)
        values = evaluated(tape, states)
        errors = np.abs(computed(module.functions[function.name], tape.inputs, states) - values).max(axis=1)
        bounds = np.array([item.bound for item in function.outputs])
        assert (errors <= bounds).all()
        ends = np.array([(item.low, item.high) for item in function.outputs]).T[:, :, None]
        assert ((ends[0] <= values) & (values <= ends[1])).all()
        assert all(item.sampled is not None and item.sampled <= item.bound for item in function.outputs)
        assert np.median(function.ratios) < 100
    assert check_bounds(tmp_path / f"{name}.bounds.json", parts=2).faults == ()


@pytest.mark.parametrize("seed", some(range(6), [1]))
def test_errors_of_random_trees_stay_below_their_bounds(seed: int, tmp_path: Path) -> None:
    """Single and double precision: what both differ by is no more than both bounds together, constants included."""
    model = random_tree(seed, bodies=(1, 4), forces=False, couplings=False)
    functions = ("inverse_dynamics", "mass_matrix")
    box = "q: [-1, 1]\nv: [-1, 1]\nvdot: [-1, 1]\n"
    found, results = {}, {}
    for real in ("double", "float"):
        directory = tmp_path / real
        mbsym.generate(model, directory, languages=["c"], functions=functions, real=real)
        found[real] = certify(directory, boxed(tmp_path, box), effort=0.02, samples=500, contraction="excluded")
        assert found[real].passed
        module = load_c(directory)
        rng = np.random.default_rng(seed)
        for function in found["double"].functions:
            states = np.round(rng.uniform(function.low, function.high, (200, len(function.low))).T * 64) / 64
            results[real, function.name] = computed(module.functions[function.name], function.inputs, states)
        assert check_bounds(directory / f"{found[real].name}.bounds.json", parts=2).faults == ()
    for function in found["double"].functions:
        single = found["float"][function.name]
        for item in (*function.outputs, *single.outputs):
            assert item.sampled is None or item.sampled <= item.bound
        both = np.array([a.bound + b.bound for a, b in zip(function.outputs, single.outputs, strict=True)])
        if not any(name.startswith("parameters.") for name in function.inputs):
            off = np.abs(results["double", function.name] - results["float", function.name]).max(axis=1)
            assert (off <= both).all()


def test_inline_sines_are_bounded_too(tmp_path: Path) -> None:
    mbsym.generate(
        "planar_3r", tmp_path, languages=["c"], functions=["mass_matrix"], real="float", trigonometry="inline"
    )
    found = certify(tmp_path, samples=2000)
    assert found.passed and all(
        item.sampled is not None and item.sampled <= item.bound for item in found.functions[0].outputs
    )


def test_a_singular_state_is_named(tmp_path: Path) -> None:
    """The pendulum's second mass may vanish: which divisors, in which lines, and where; other functions have bounds."""
    path = boxed(tmp_path, f"{BOX}parameters: {{m2: [0, 1]}}\n")
    found = certify(generated("double_pendulum", tmp_path), path, effort=0.05, samples=100)
    assert not found.passed and found["inverse_dynamics"].is_bounded and found["mass_matrix"].is_bounded
    dangers = found["forward_dynamics"].dangers
    assert {danger.what for danger in dangers} == {"division by zero"} and "1.0/m2_2" in dangers[0].text
    lines = (tmp_path / "double_pendulum.c").read_text(encoding="utf-8").splitlines()
    assert all(lines[danger.line - 1].strip() == danger.text for danger in dangers)
    place = found["forward_dynamics"].inputs.index("parameters.m2")
    assert all((danger.low[place], danger.high[place] < 0.3) == (0, True) for danger in dangers)
    assert "division by zero cannot be excluded, line" in found.summary() and "NOT BOUNDED" in found.summary()
    assert check_bounds(tmp_path / "double_pendulum.bounds.json", parts=30).faults == ()
    file = tmp_path / "double_pendulum.bounds.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    number = next(k for k, item in enumerate(content["functions"]) if item["dangers"])
    for path, value, fault in (
        (("dangers", 0, "low"), [0.0], "the box of a danger is none of its inputs"),
        (("dangers",), [], "and is not named"),
        (("dangers", 0, "line"), 1, "and is not named"),
    ):
        file.write_text(json.dumps(with_fault(content, ("functions", number, *path), value)), encoding="utf-8")
        assert any(fault in each for each in check_bounds(file, parts=30).faults)


@pytest.mark.more
def test_pivots_are_bounded_away_from_zero(tmp_path: Path) -> None:
    box = boxed(tmp_path, BOX)
    bounds = certify(generated("puma560", tmp_path), box, effort=0.1, samples=100, function="forward_dynamics")
    found = bounds["forward_dynamics"]
    assert len(found.divisors) == 4 and all(least > 0.1 for _, least in found.divisors) and found.largest < 1e3


def test_what_cannot_be_bounded_is_named(tmp_path: Path) -> None:
    functions = ("mass_matrix", "constraint_jacobian", "project_position", "closed_form_position")
    mbsym.generate("four_bar", tmp_path, languages=["c"], functions=functions)
    found = certify(tmp_path, boxed(tmp_path, BOX), effort=0.01, samples=50)
    assert (
        "decides what is done" in found.refused["project_position"] and "atan2" in found.refused["closed_form_position"]
    )
    assert found["mass_matrix"].is_bounded and found["constraint_jacobian"].is_bounded
    with pytest.raises(TextError, match=r"four_bar\.c:\d+: a comparison of computed numbers"):
        certify(tmp_path, function="project_position")
    with pytest.raises(CodegenError, match="there is no function 'nothing'; known are"):
        certify(tmp_path, function="nothing")


def test_bad_boxes_and_texts_are_refused(tmp_path: Path) -> None:
    generated("puma560", tmp_path)
    with pytest.raises(FormatError, match=r"box\.yaml:1:4: the interval \[2, 1\] is reversed"):
        certify(tmp_path, boxed(tmp_path, "q: [2, 1]"))
    with pytest.raises(TextError, match=r"v_joint1 \(v\[0\]\) has no limits in the model: give v an interval"):
        certify(tmp_path, function="inverse_dynamics")
    assert not (tmp_path / "puma560.bounds.json").exists()
    code = tmp_path / "puma560.c"
    code.write_text(code.read_text(encoding="utf-8").replace("9.81", "9.82"), encoding="utf-8")
    with pytest.raises(CodegenError, match="this is not the file that puma560"):
        certify(tmp_path)


OF_FILE = ("forward_dynamics", "gravity_force")
FEW_PARTS = 1e-3

# ---- the check -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Bounds]:
    """A pendulum's bounds, in few parts."""
    directory = tmp_path_factory.mktemp("certified")
    mbsym.generate("double_pendulum", directory, languages=["c"], functions=OF_FILE)
    box = boxed(directory, f"{BOX}parameters: {{m2: [0.5, 1]}}\nq: [-0.3, 0.3]\n")
    return directory, certify(directory, box, effort=FEW_PARTS, samples=100)


def faults(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Places of a file of bounds, and what is wrong there: numbers, other words, an entry less.

    What a file may say and is still right is left out: larger bounds of a part that is not the worst, sines that are
    better than need be, and what is told of the making.
    """
    if isinstance(content, dict):
        for key, value in content.items():
            if key not in ("mbsym", "compiler", "samples", "seed", "text", "sine_units"):
                yield from faults(value, (*path, key))
    elif isinstance(content, list):
        if content:
            yield path, content[:-1]
        for k in dict.fromkeys((0, len(content) - 1)) if content else ():
            yield from faults(content[k], (*path, k))
    elif isinstance(content, bool):
        yield path, not content
    elif isinstance(content, str):
        yield path, f"{content}x"
    elif isinstance(content, int):
        yield path, content + 1
    elif content and path[-2] in ("low", "high", "state"):
        yield path, content + (-40.0 if path[-2] == "low" else 40.0)
    elif content:
        yield path, content * 0.97
        if "parts" not in path:
            yield path, content * 1.04


def with_fault(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = json.loads(json.dumps(content))
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


def test_a_file_that_is_as_it_was_is_confirmed_whole(certified: tuple[Path, Bounds]) -> None:
    directory, found = certified
    checked = check_bounds(directory / "double_pendulum.bounds.json", parts=0)
    assert checked.faults == () and "confirmed" in checked.summary()
    assert checked.functions == {item.name: (len(item.parts),) * 2 for item in found.functions}


@pytest.mark.parametrize("every", some((1, 15), (15,)))
def test_planted_faults_are_found(every: int, certified: tuple[Path, Bounds], tmp_path: Path) -> None:
    """In any number, word and list of the file: a hundred and more, one in fifteen of them each time."""
    directory, _ = certified
    content = json.loads((directory / "double_pendulum.bounds.json").read_text(encoding="utf-8"))
    for name in ("double_pendulum.c", "double_pendulum.h", "double_pendulum.json"):
        (tmp_path / name).write_bytes((directory / name).read_bytes())
    planted, missed = [*faults(content)], []
    assert len(planted) > 100
    for path, value in planted[::every]:
        file = tmp_path / "double_pendulum.bounds.json"
        file.write_text(json.dumps(with_fault(content, path, value)), encoding="utf-8")
        try:
            missed += [] if check_bounds(file, parts=0).faults else [(path, value)]
        except CodegenError:
            continue
    assert missed == []


def test_bounds_of_other_texts_are_refused(certified: tuple[Path, Bounds], tmp_path: Path) -> None:
    """The code was generated again from another model: its hashes are others, and so are its bounds."""
    directory, _ = certified
    model = mbsym.load("double_pendulum")
    mbsym.generate(model, tmp_path, languages=["c"], functions=OF_FILE, real="float")
    (tmp_path / "double_pendulum.bounds.json").write_bytes((directory / "double_pendulum.bounds.json").read_bytes())
    found = check_bounds(tmp_path / "double_pendulum.bounds.json", parts=1).faults
    assert "the bounds are of other texts" in found and "the numbers are float, not double" in found
    # They go when the code is generated again.
    mbsym.generate(model, tmp_path, languages=["c"], functions=["mass_matrix"], real="float")
    assert not (tmp_path / "double_pendulum.bounds.json").exists()


def test_the_same_is_written_twice(certified: tuple[Path, Bounds], tmp_path: Path) -> None:
    directory, _ = certified
    mbsym.generate("double_pendulum", tmp_path, languages=["c"], functions=OF_FILE)
    certify(tmp_path, directory / "box.yaml", effort=FEW_PARTS, samples=100)
    for name in ("double_pendulum.bounds.json", "double_pendulum.bounds.md"):
        assert (tmp_path / name).read_bytes() == (directory / name).read_bytes()


def test_the_command_line_tells_and_checks(run: Any, tmp_path: Path) -> None:
    generated("double_pendulum", tmp_path)
    box = boxed(tmp_path, f"{BOX}q: [-0.5, 0.5]\n")
    made = run("certify", tmp_path, "--box", box, "--effort", "0.01", "--samples", "50", "--json")
    assert made.status == 0
    data = json.loads(made.out)
    assert data["passed"] and data["functions"][0]["outputs"][0]["bound"] > 0
    file = tmp_path / "double_pendulum.bounds.json"
    assert run("certify", "--check", file, "--parts", "2").status == 0
    content = json.loads(file.read_text(encoding="utf-8"))
    content["functions"][0]["outputs"][0]["bound"] /= 2
    file.write_text(json.dumps(content), encoding="utf-8")
    told = run("certify", "--check", file)
    assert told.status == 1 and "is not that of its worst part" in told.out
    assert run("certify", tmp_path, "--check", file).status == run("certify").status == 2
    file.write_text("{}", encoding="utf-8")
    assert run("certify", "--check", file).status == 2
