"""Exports to CasADi: its own library loads them, their Jacobians are exact, and it optimises with them."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.codegen.build import WARNINGS
from mbsym.codegen.load import read_manifest
from mbsym.consumers.casadi import CASADI
from mbsym.consumers.consumer import ExportOptions
from mbsym.consumers.export import export_files
from mbsym.model.system import Model
from mbsym.options.generation import GenerationOptions
from mechanisms.examples import some
from mechanisms.trees import chain, tree_model

ca = pytest.importorskip("casadi")

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "casadi" / "swing_up.py"

ALL_JOINTS = ("free", "spherical", "planar", "universal", "cylindrical", "helical")


def compiled(directory: Path, name: str) -> Path:
    """A shared library of an export, without a word from the compiler."""
    library = directory / f"{name}_casadi.so"
    sources = [str(directory / f"{name}_casadi.c"), str(directory / f"{name}.c")]
    command = ["gcc", *WARNINGS, "-Wmissing-prototypes", "-O1", "-shared", "-fPIC", *sources, "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
    return library


def external(directory: Path, model: Model | str, *functions: str, **options: Any) -> list[Any]:
    """The functions as CasADi has them."""
    mbsym.export(model, "casadi", directory, functions=functions, **options)
    name = model if isinstance(model, str) else model.name
    library = compiled(directory, name)
    return [ca.external(f"{name}_casadi_{function}", str(library)) for function in functions]


def drawn(function: Any, seed: int = 4) -> list[np.ndarray]:
    """Arguments at random, parameters positive."""
    rng = np.random.default_rng(seed)
    values = [rng.standard_normal(function.size_in(k)) for k in range(function.n_in())]
    names = function.name_in()
    return [np.abs(x) + 0.5 if name == "parameters" else x for x, name in zip(values, names, strict=True)]


def results(function: Any, arguments: list[np.ndarray]) -> list[np.ndarray]:
    found = function(*arguments)
    return [np.array(item) for item in (found if isinstance(found, tuple | list) else [found])]


def largest_difference(function: Any) -> float:
    """Of all blocks of the Jacobian from central differences, relative to the block's largest entry or to 1."""
    arguments, h, worst = drawn(function), 1e-5, 0.0
    jacobian = function.jacobian()
    blocks = iter(results(jacobian, [*arguments, *results(function, arguments)]))
    differences = [
        np.zeros((function.numel_out(o), function.numel_in(i)))
        for o in range(function.n_out())
        for i in range(function.n_in())
    ]
    for i in range(function.n_in()):
        for k in range(function.numel_in(i)):
            ends = []
            for step in (h, -h):
                moved = [x.copy() for x in arguments]
                moved[i][k, 0] += step
                ends.append(results(function, moved))
            for o, (there, here) in enumerate(zip(*ends, strict=True)):
                differences[o * function.n_in() + i][:, k] = ((there - here) / (2 * h)).ravel(order="F")
    for difference in differences:
        block = next(blocks)
        if difference.size:
            worst = max(worst, float(np.abs(block - difference).max() / max(1.0, np.abs(difference).max())))
    return worst


CASES: dict[str, tuple[Model | str, tuple[str, ...]]] = {
    "parameters, time and inputs": ("cart_pole", ("forward_dynamics", "inverse_dynamics", "kinetic_energy")),
    "a quaternion and parameters": ("spinning_top", ("forward_dynamics", "inverse_dynamics", "position_rate")),
    "matrices": ("planar_3r", ("mass_matrix", "body_poses", "body_jacobians", "center_of_mass")),
    "all types of joints": (tree_model(chain(6), ALL_JOINTS), ("gravity_force", "position_rate")),
    "joints backwards": (
        tree_model(chain(6), ("revolute", "free", "prismatic", "spherical", "revolute", "planar"), backwards=True),
        ("gravity_force", "position_rate"),
    ),
    "a closed loop": ("four_bar", ("forward_dynamics", "constrained_dynamics", "constraint_residual")),
}


@pytest.mark.parametrize("case", some(CASES, set(CASES) - {"joints backwards"}))
def test_jacobians_are_the_differences(tmp_path: Path, case: str) -> None:
    """Differences of step h have an error of h^2 f'''/6 and of epsilon/h: 1e-10 and 2e-11 for entries of order one."""
    model, functions = CASES[case]
    for function in external(tmp_path, model, *functions):
        assert largest_difference(function) < 2e-8, function


def test_a_wrong_entry_is_found(tmp_path: Path) -> None:
    mbsym.export("planar_3r", "casadi", tmp_path, functions=["mass_matrix"])
    source = tmp_path / "planar_3r_casadi.c"
    text = source.read_text()
    assert "places[k]" in text
    source.write_text(text.replace("[places[k]]", "[places[0]]"))
    function = ca.external("planar_3r_casadi_mass_matrix", str(compiled(tmp_path, "planar_3r")))
    assert largest_difference(function) > 1e-3


def test_values_are_those_of_the_module(tmp_path: Path) -> None:
    (function,) = external(tmp_path / "c", "spinning_top", "forward_dynamics", symbolic_parameters="none")
    mbsym.generate("spinning_top", tmp_path, languages=["numpy"], symbolic_parameters="none")
    names: dict[str, Any] = {}
    exec((tmp_path / "spinning_top.py").read_text(), names)
    q, v, tau = (x.ravel() for x in drawn(function))
    expected = names["forward_dynamics"](q / np.linalg.norm(q), v, tau)
    np.testing.assert_allclose(np.array(function(3 * q, v, tau)).ravel(), expected, rtol=1e-12)


def test_zeros_are_not_stored(tmp_path: Path) -> None:
    """The two arms do not feel each other, and nothing feels where the base is: so says the manifest."""
    (function,) = external(tmp_path, "floating_two_arm", "inverse_dynamics")
    jacobian = function.jacobian()
    sizes = {jacobian.name_out(k): jacobian.nnz_out(k) for k in range(jacobian.n_out())}
    manifest = read_manifest(tmp_path / "floating_two_arm.json")
    rows = manifest["sparsity"]["inverse_dynamics_derivatives"]
    assert sizes["jac_tau_q"] == sum(map(len, rows["dtau_dq"]["rows"])) == 44
    assert sizes["jac_tau_v"] == sum(map(len, rows["dtau_dv"]["rows"])) < 120
    assert sizes["jac_tau_vdot"] <= 144 - 2 * 9
    assert [function.name_in(k) for k in range(3)] == ["q", "v", "vdot"]
    assert [jacobian.nnz_in(k) for k in range(4)] == [13, 12, 12, 0]


def test_what_has_no_jacobian_is_said_and_there_is_no_other(tmp_path: Path) -> None:
    done = mbsym.export("four_bar", "casadi", tmp_path, functions=["forward_dynamics", "project_position"])
    assert done.notes == ("project_position has no Jacobian: it iterates",)
    library = compiled(tmp_path, "four_bar")
    with pytest.raises(RuntimeError):
        ca.external("four_bar_casadi_project_position", str(library)).jacobian()


def test_a_failure_of_the_function_is_one_of_the_evaluation(tmp_path: Path) -> None:
    (function,) = external(tmp_path, "four_bar", "forward_dynamics")
    with pytest.raises(RuntimeError):
        function(np.full(3, np.nan), np.zeros(3), np.zeros(3))


def test_parameters_of_closed_loops_have_no_derivatives() -> None:
    exported, _ = export_files("four_bar", "casadi", ExportOptions(GenerationOptions(symbolic_parameters="all")))
    assert [note[:70] for note in CASADI.notes(exported)] == [
        "forward_dynamics has no Jacobian: with closed loops it has no derivati"
    ]


def example() -> ModuleType:
    specification = importlib.util.spec_from_file_location("swing_up", EXAMPLE)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_swing_up_is_that_of_the_equations_by_hand(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The same problem with the equations of the README in CasADi's own graph has the same solution."""
    module = example()
    cost, states = module.swing_up(module.compiled(tmp_path))
    q, v, tau, t, u = ca.SX.sym("q", 2), ca.SX.sym("v", 2), ca.SX.sym("tau", 2), ca.SX.sym("t"), ca.SX.sym("u")
    m_cart, m_pole, l, d = 1.0, 0.2, 0.6, 0.1
    coupling = l * m_pole * ca.cos(q[1]) / 2
    mass = ca.vertcat(ca.horzcat(m_cart + m_pole, coupling), ca.horzcat(coupling, l**2 * m_pole / 3))
    bias = ca.vertcat(d * v[0] - l * m_pole * v[1] ** 2 * ca.sin(q[1]) / 2 - u, -4.905 * l * m_pole * ca.sin(q[1]))
    by_hand = ca.Function("by_hand", [q, v, tau, t, u], [ca.solve(mass, tau - bias)])
    known_cost, known_states = module.swing_up(by_hand)
    assert abs(cost - known_cost) < 1e-6 * known_cost
    assert np.abs(states - known_states).max() < 1e-5  # where the optimum is flat, the solver's 1e-8 reaches this far
    assert np.abs(states[-1]).max() < 1e-7
    capfd.readouterr()
