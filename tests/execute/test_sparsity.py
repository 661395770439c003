"""What of derivatives is zero by structure: listed in the manifest, and left out of compressed columns."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_matrix

from mbsym import examples
from mbsym.cli.application import main
from mbsym.codegen.load import load_c, load_numpy
from mbsym.model.body import Body
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.pipeline import generate
from mbsym.reference import Reference
from mbsym.registry import contracts_of
from mbsym.verification.certificate import verify
from mbsym.verification.checks import Worst, check_function
from mbsym.verification.evidence import Companions, Evidence, Numbers, expanded
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of

FUNCTIONS = ("inverse_dynamics_derivatives", "coriolis_matrix", "mass_matrix")
DERIVATIVES = [("mass_matrix", ("q",))]


def slider() -> Model:
    """Whose mass matrix nothing changes."""
    return Model("slider", (Body("block", 2.0),), (Joint("rail", "prismatic", "ground", "block", axis=(1, 0, 0)),))


@pytest.mark.parametrize("name", ["floating_two_arm", "cart_pole"])
def test_the_manifest_lists_what_is_not_zero(name: str, tmp_path: Path) -> None:
    generate(name, tmp_path, functions=FUNCTIONS, derivatives=DERIVATIVES, languages=["numpy"])
    module = load_numpy(tmp_path / f"{name}.py")
    sparsity = module.manifest["sparsity"]
    assert set(sparsity) == {"inverse_dynamics_derivatives", "coriolis_matrix", "mass_matrix_by_q"}
    rng = np.random.default_rng(0)
    for function, results in sparsity.items():
        loaded = module.functions[function]
        state = [rng.normal(size=item.shape) for item in loaded.inputs]
        found = loaded(*state)
        for output, values in zip(loaded.outputs, found if isinstance(found, tuple) else (found,), strict=True):
            entry = results[output.name]
            assert tuple(entry["shape"]) == output.shape
            matrix = values.reshape(-1, output.shape[-1])
            assert [list(np.flatnonzero(column)) for column in matrix.T] == entry["rows"]


@pytest.mark.parametrize("name", ["cart_pole", *further("floating_two_arm")])
def test_compressed_columns_are_the_same_matrices(name: str, tmp_path: Path) -> None:
    generate(name, tmp_path / "dense", functions=FUNCTIONS, derivatives=DERIVATIVES, languages=["numpy"])
    generate(name, tmp_path / "few", functions=FUNCTIONS, derivatives=DERIVATIVES, compressed=True)
    dense = load_numpy(tmp_path / "dense" / f"{name}.py")
    in_c, in_numpy = load_c(tmp_path / "few"), load_numpy(tmp_path / "few" / f"{name}.py")
    namespace: dict[str, np.ndarray] = {}
    exec((tmp_path / "few" / f"{name}.py").read_text(), namespace)
    header = (tmp_path / "few" / f"{name}.h").read_text()
    rng = np.random.default_rng(0)
    for function in in_c.functions:
        state = [rng.normal(size=item.shape) for item in dense.functions[function].inputs]
        expected, *others = (module.functions[function](*state) for module in (dense, in_c, in_numpy))
        for found in others:
            results = zip(*(x if isinstance(x, tuple) else (x,) for x in (found, expected)), strict=True)
            for output, (left, right) in zip(in_c.functions[function].outputs, results, strict=True):
                if function == "mass_matrix":
                    assert left.shape == right.shape
                    continue
                rows, starts = (namespace[f"{function}_{output.name}_{which}"] for which in ("rows", "starts"))
                matrix = right.reshape(-1, right.shape[-1])
                assert np.allclose(csc_matrix((left, rows, starts), matrix.shape).toarray(), matrix, atol=1e-13)
                assert np.allclose(expanded(left, in_c.manifest["sparsity"][function][output.name]), right, atol=1e-13)
                for which, numbers in (("rows", rows), ("starts", starts)):
                    text = re.search(rf"int {name}_{function}_{output.name}_{which}\[(\d+)\] = {{([^}}]*)}}", header)
                    assert text is not None
                    assert [int(word) for word in text[2].split(",")] == list(numbers)
                    assert int(text[1]) == len(numbers)
    assert verify(tmp_path / "few", states=2).passed


def test_fewer_numbers_are_stored(tmp_path: Path) -> None:
    """The arms of a floating robot do not feel each other's joints directly."""
    generate("floating_two_arm", tmp_path, functions=FUNCTIONS[:1], compressed=True, languages=["numpy"])
    by_q, _ = load_numpy(tmp_path / "floating_two_arm.py").functions[FUNCTIONS[0]].outputs
    assert by_q.size < 12 * 12 - 2 * 3 * 3


def test_a_matrix_of_zeros_stores_one_number(tmp_path: Path) -> None:
    generate(slider(), tmp_path, functions=["mass_matrix"], derivatives=DERIVATIVES, compressed=True)
    assert verify(tmp_path, states=2).passed
    module = load_c(tmp_path)
    assert module.manifest["sparsity"]["mass_matrix_by_q"]["dM_dq"]["rows"] == [[]]
    assert list(module.functions["mass_matrix_by_q"]([0.3])) == [0.0]


@pytest.mark.parametrize(("name", "functions"), [
    *further(("rhombus_regular", ("constrained_dynamics_derivatives",))),
    ("cart_pole", ("mass_matrix",)),
])  # fmt: skip
def test_what_has_nothing_to_compress_stays_whole(name: str, functions: tuple[str, ...], tmp_path: Path) -> None:
    """The solver of closed loops reads whole matrices, and others are on request only."""
    generate(name, tmp_path / "dense", functions=functions)
    generate(name, tmp_path / "few", functions=functions, compressed=True)
    dense, rng = load_numpy(tmp_path / "dense" / f"{name}.py").functions[functions[0]], np.random.default_rng(0)
    state = [rng.uniform(0.1, 0.5, size=item.shape) for item in dense.inputs]
    whole = dense(*state)
    for module in (load_c(tmp_path / "few"), load_numpy(tmp_path / "few" / f"{name}.py")):
        found = module.functions[functions[0]](*state)
        for one, other in zip(found, whole, strict=True):
            assert np.allclose(one, other, rtol=1e-10, atol=1e-10)
    assert verify(tmp_path / "few", states=3).passed


def test_a_wrong_place_fails_the_certificate(tmp_path: Path) -> None:
    """Two entries of one result change places."""
    generate("cart_pole", tmp_path, functions=FUNCTIONS[:1], compressed=True, languages=["numpy"])
    module = load_numpy(tmp_path / "cart_pole.py")
    loaded = module.functions[FUNCTIONS[0]]

    def turned(inputs: Any, parameters: Any) -> Any:
        by_q, by_v = loaded.call(inputs, parameters)
        return by_q, by_v[..., ::-1]

    model = examples.load("cart_pole")
    mechanism = mechanism_of(model)
    state = {"q": [0.3, 0.7], "v": [0.5, 1.5], "vdot": [1.0, 2.0], "tau": [0.4, 0.9], "t": 0.0, "u": [0.5]}
    state = {name: np.array(values) for name, values in state.items()}
    for damaged, passes in ((loaded, True), (replace(loaded, call=turned), False)):
        worst = Worst()
        evidence = Evidence(
            FUNCTIONS[0],
            replace(module, functions={FUNCTIONS[0]: damaged}),
            Numbers(Reference(model, model.label()), state),
            Companions(mechanism),
        )
        check_function(worst, contracts_of(mechanism)[FUNCTIONS[0]], evidence, 1.0, 0)
        assert all(check.passed for check in worst.found.values()) == passes


def test_the_command_line_has_it(tmp_path: Path) -> None:
    words = ["generate", "cart_pole", "-o", str(tmp_path), "--function", "coriolis_matrix", "--compressed"]
    assert main(words) == 0
    module = load_numpy(tmp_path / "cart_pole.py")
    assert module.manifest["compressed"]
    assert len(module.functions["coriolis_matrix"].outputs[0].shape) == 1
