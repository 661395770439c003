"""Modules in JavaScript: the functions of the NumPy module, in node, to round-off; and what is said of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.codegen.load import LoadedModule, load_numpy
from mbsym.codegen.statuses import Status
from mbsym.errors import CodegenError
from mbsym.loops.assembly import assemble
from mbsym.model.system import Model
from mechanisms.javascript import called, run_node
from mechanisms.singular import flat_loop, gimbal, own_law, parallel_cranks

Array = np.ndarray[Any, Any]

ROUND_OFF = 1e-12
"""Of the largest entry of a result: a few thousand operations in one order, on sines and cosines of two libraries."""
OF_LOOPS = ("project_position", "project_velocity", "joint_wrenches", "stabilised_dynamics", "closed_form_position")
UNDECIDED = {"work": "scratch memory", "steps": "round-off may ask for one Newton step more"}


def compared(directory: Path, model: Model | str, q: Array, **options: Any) -> dict[Status, int]:
    """How many results of all functions at the states of q, which must agree, have each status."""
    mbsym.generate(model, directory, languages=("numpy", "javascript"), **options)
    (path,) = directory.glob("*.py")
    module = load_numpy(path)
    given = arguments(module, q)
    defaults = module.manifest["run_time_parameters"]
    values = {name: 1.01 * value for name, value in defaults.items()} if options else {}
    found: dict[Status, int] = {}
    for name, (theirs, status) in called(directory, module.manifest, given, values).items():
        function = module.functions[name]
        ours, expected = function.with_status(*given[name], parameters=values if function.parameters else None)
        np.testing.assert_array_equal(status, np.broadcast_to(expected, status.shape), name)
        for item, mine, other in zip(function.outputs, listed(ours), listed(theirs), strict=True):
            wanted = np.broadcast_to(np.asarray(mine), other.shape)
            if item.name not in UNDECIDED:
                size = 1 + np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
                np.testing.assert_allclose(other, wanted, rtol=0, atol=ROUND_OFF * size, err_msg=f"{name} {item.name}")
        for number in status.ravel():
            found[Status(number)] = found.get(Status(number), 0) + 1
    return found


def listed(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def arguments(module: LoadedModule, q: Array) -> dict[str, list[Array]]:
    rng = np.random.default_rng(4)
    found: dict[str, list[Array]] = {}
    for name, function in module.functions.items():
        found[name] = []
        for item in function.inputs:
            array = q if item.shape == q.shape[1:] and item.name == "q" else rng.uniform(0.1, 1, (len(q), *item.shape))
            for k in item.quaternions:
                array[:, k : k + 4] /= np.linalg.norm(array[:, k : k + 4], axis=1)[:, None]
            found[name].append(array)
    return found


def near(name: str) -> Array:
    """States around one with closed loops."""
    start = assemble(mbsym.load(name)).q
    return start + np.random.default_rng(2).uniform(-0.05, 0.05, (4, len(start)))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("four_bar", {"functions": (*OF_LOOPS, "constrained_dynamics_derivatives")}),
        ("stewart_platform", {"functions": ("project_position_report", "constrained_dynamics_report")}),
        ("puma560", {"style": "shared", "functions": ("mass_matrix", "inverse_dynamics", "forward_dynamics")}),
        ("cart_pole", {"prepare": True}),
    ],
)
def test_every_function_gives_what_numpy_gives(tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    assert Status.OK in compared(tmp_path, name, near(name), **options)


def test_dependent_rows_are_treated_alike(tmp_path: Path) -> None:
    """Three parallel cranks, regular, flat, and out of reach: least multipliers, and the statuses that say so."""
    states = flat_loop().states
    found = compared(tmp_path, parallel_cranks(), np.array(list(states.values()), dtype=float))
    assert set(states) <= set(found)


@pytest.mark.parametrize("case", [gimbal(), own_law()], ids=lambda case: case.model.name)
def test_states_without_a_result_are_told(tmp_path: Path, case: Any) -> None:
    found = compared(tmp_path, case.model, np.array(list(case.states.values()), dtype=float))
    assert set(case.states) <= set(found)


def test_what_iterates_with_scratch_memory_is_printed_too(tmp_path: Path) -> None:
    """Sweeps of the transfer matrix method, whose text uses words of JavaScript as names."""
    q = np.zeros((3, 2))
    assert Status.OK in compared(tmp_path, "double_pendulum", q, formulation="transfer-matrix")


def test_words_of_javascript_are_names_of_users(tmp_path: Path) -> None:
    rod = mbsym.Body("rod", "let", (0, 0, -1), (1, 1, 0, 0, 0, 0))
    joint = mbsym.Joint("pin", "revolute", "ground", "rod", axis="y")
    force = mbsym.JointForce("eval", "pin", "-super*q_pin")
    parameters = tuple(mbsym.Parameter(name, 2, symbolic=True) for name in ("let", "super"))
    model = mbsym.Model("Math", (rod,), (joint,), forces=(force,), parameters=parameters)
    assert set(compared(tmp_path, model, np.array([[0.3]]))) == {Status.OK}


def test_what_the_page_shows_is_what_node_prints(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/how_to/run_in_a_browser.md").read_text(encoding="utf-8")
    code, shown = (
        re.findall(pattern, page, re.DOTALL)[0] for pattern in (r"```javascript\n(.*?)```", r"mjs\n(.*?)```")
    )
    mbsym.generate("four_bar", tmp_path, languages=("javascript",))
    module = (tmp_path / "four_bar.mjs").as_uri()
    assert run_node(code.replace("./build/four_bar.mjs", module), " ", "--input-type=module") == shown


def test_a_certificate_says_that_it_was_not_run(tmp_path: Path) -> None:
    mbsym.generate("double_pendulum", tmp_path, languages=("numpy", "javascript"))
    certificate = mbsym.verify(tmp_path, states=1)
    assert certificate.passed and {check.language for check in certificate.checks} == {"numpy"}
    told = "printed from the same functions, not run by mbsym"
    assert f"double_pendulum.mjs: {told}" in certificate.summary()
    assert f"| {told} |" in (tmp_path / "double_pendulum.certificate.md").read_text(encoding="utf-8")
    assert certificate.as_dict()["not_run"] == ["double_pendulum.mjs"]
    file = tmp_path / "double_pendulum.mjs"
    file.write_text(file.read_text(encoding="utf-8").replace(" + ", " - ", 1), encoding="utf-8")
    assert mbsym.verify(tmp_path, states=1).changed == (file.name,)


def test_alone_it_cannot_be_verified(tmp_path: Path) -> None:
    mbsym.generate("double_pendulum", tmp_path, languages=("javascript",))
    with pytest.raises(CodegenError, match="no generated code that can be run, javascript alone; generate it with"):
        mbsym.verify(tmp_path)
