"""What is too large to write is refused before it is derived; what is large is told before."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbsym
from mbsym import examples
from mbsym.cli.application import main
from mbsym.errors import DerivationError
from mbsym.formats.native.text import dump_native
from mbsym.loops.code_size import code_size
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, derive, express, generate_files
from mbsym.registry import TREE_FUNCTIONS, available_functions, contracts_of
from mbsym.stages import share, simplify
from mechanisms.examples import further
from mechanisms.overconstrained import windows

AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def chain(count: int) -> Model:
    """Bodies in general position on hinges about changing axes."""
    place = Placement(("0.3", "0.1", "0.2"))
    bodies = tuple(Body(f"b{k}", 1, ("0.1", "0.2", "0.3"), ("0.1", "0.2", "0.25", 0, 0, 0)) for k in range(count))
    joints = tuple(
        Joint(f"j{k}", "revolute", f"b{k - 1}" if k else "ground", f"b{k}", AXES[k % 3], predecessor_placement=place)
        for k in range(count)
    )
    return Model(f"chain{count}", bodies, joints)


@pytest.mark.parametrize("model", [chain(6), windows(5), *further(chain(20))])
def test_the_estimate_is_right_within_a_factor_of_four(model: Model) -> None:
    mechanism = express(model, GenerationOptions())
    derivation, files = generate_files(model)
    contracts = contracts_of(mechanism)
    size = code_size(mechanism, derivation.loops, [contracts[program.name] for program in derivation.programs])
    written = 1e-6 * sum(len(file.text) for file in files if file.name.endswith((".c", ".py")))
    assert written / 4 < size.total < 4 * written


@pytest.mark.parametrize("function", ["constrained_derivative_terms", "independent_dynamics_derivatives"])
@pytest.mark.parametrize("model", [windows(3), *further(windows(5), examples.load("stewart_platform"))])
def test_so_is_that_of_derivatives_with_closed_loops(model: Model, function: str) -> None:
    derivation, files = generate_files(model, GenerationOptions(functions=(function,)))
    contracts = contracts_of(derivation.mechanism)
    size = code_size(derivation.mechanism, derivation.loops, [contracts[function]])
    written = 1e-6 * sum(len(file.text) for file in files if file.name.endswith((".c", ".py")))
    assert written / 4 < size.total < 4 * written


@pytest.mark.parametrize(("function", "count"), [("energy_regressor", 6), ("energy_regressor", 24), ("momentum", 24)])
def test_what_needs_no_forces_grows_with_bodies_alone(function: str, count: int) -> None:
    """Within a factor of two, at both lengths: nothing of a long chain is refused that would be short."""
    derivation, files = generate_files(chain(count), GenerationOptions(functions=(function,)))
    written = 1e-6 * sum(len(file.text) for file in files if file.name.endswith((".c", ".py")))
    size = code_size(derivation.mechanism, None, [contracts_of(derivation.mechanism)[function]])
    assert written / 2 < size.total < 2 * written


@pytest.mark.parametrize("count", [300, *further(1000)])
def test_a_long_chain_is_refused_before_it_is_derived(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simplify, "optimise", lambda program: pytest.fail("derived"))
    with pytest.raises(DerivationError) as caught:
        mbsym.generate(chain(count), tmp_path, functions=["body_jacobians", "mass_matrix"], style="straight")
    for words in ("MB of code", "body_jacobians", "mass_matrix", "`functions`", "transfer-matrix", "`largest`"):
        assert words in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_of_a_long_chain_what_grows_with_its_length_alone_is_made() -> None:
    mechanism = express(chain(300), GenerationOptions())
    contracts = contracts_of(mechanism)
    assert 1 < code_size(mechanism, None, [contracts["forward_dynamics"]]).total < 20
    assert 20 < code_size(mechanism, None, [contracts["mass_matrix"]]).total < 100


def test_where_nobody_names_functions_the_largest_are_left_out_with_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is left of a long chain grows with its length, not with its square."""
    mechanism = express(chain(300), GenerationOptions())
    known = contracts_of(mechanism)
    size = code_size(mechanism, None, [known[name] for name in TREE_FUNCTIONS])
    assert list(size.beyond(100.0)) == ["body_jacobians", "mass_matrix"]
    assert size.without(size.beyond(100.0)).total < 50
    model, where = tmp_path / "chain.yaml", str(tmp_path / "out")
    model.write_text(dump_native(chain(12)), encoding="utf-8")
    options = ["-o", where, "--largest", "1.2", "--language", "c", "--style", "straight"]
    assert main(["generate", str(model), *options]) == 0
    said = capsys.readouterr()
    assert "note: body_jacobians is left out, about 0.17 MB; --function body_jacobians asks for it" in said.err
    assert "body_jacobians " not in said.out
    assert "inverse_dynamics" in said.out


def test_nothing_is_left_out_where_somebody_counts_on_it(tmp_path: Path) -> None:
    model = chain(12)
    found = mbsym.generate(model, tmp_path / "a", languages=["c"], largest=1.2, style="straight")
    assert "without joint_wrenches, forward_dynamics, body_jacobians, mass_matrix>" in repr(found)
    assert '"left_out"' in (tmp_path / "a" / "chain12.json").read_text()
    for options in ({"batch": ["mass_matrix"]}, {"functions": list(TREE_FUNCTIONS)}):
        with pytest.raises(DerivationError, match="MB of code"):
            mbsym.generate(model, tmp_path / "b", languages=["c"], largest=1.2, style="straight", **options)
    with pytest.raises(DerivationError, match="MB of code"):
        mbsym.export(model, "cmake", tmp_path / "c", largest=1.2)


def test_a_limit_of_ones_own() -> None:
    mechanism = express(chain(3), GenerationOptions())
    with pytest.raises(DerivationError, match=r"more than 0\.01 MB"):
        derive(mechanism, GenerationOptions(largest=0.01))
    assert derive(mechanism, GenerationOptions(largest=float("inf"), functions=("mass_matrix",))).programs


def test_least_wrenches_of_many_loops_dominate() -> None:
    mechanism = express(windows(10), GenerationOptions())
    loops = available_functions(mechanism, "auto").loops
    contracts = contracts_of(mechanism)
    assert loops is not None
    small = code_size(mechanism, loops, [contracts["constraint_residual"]])
    large = code_size(mechanism, loops, [contracts["constrained_wrenches"]])
    assert large.total > 3 * small.total


def test_the_size_of_large_code_and_every_step_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[tuple[str, int, int]] = []
    mbsym.generate("four_bar", tmp_path, functions=["mass_matrix"], progress=lambda *step: told.append(step))
    assert [what for what, _, _ in told] == ["analyse the loops", "derive mass_matrix", "print the code"]
    assert main(["generate", "four_bar", "-o", str(tmp_path)]) == 0
    assert "note" not in capsys.readouterr().err
    monkeypatch.setattr(share, "WORTH_TELLING", 0.0)
    assert main(["generate", "four_bar", "-o", str(tmp_path)]) == 0
    assert "note: four_bar makes about" in capsys.readouterr().err
    assert main(["generate", "four_bar", "-o", str(tmp_path), "--largest", "0.1"]) == 2
    assert "more than 0.1 MB" in capsys.readouterr().err
