"""What a certificate allows, in numbers: errors a little above it fail, round-off does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbsym import examples
from mbsym.codegen.load import LoadedModule, load_numpy
from mbsym.model.system import Model
from mbsym.pipeline import generate
from mbsym.verification.checks import Check, Settings, run_checks
from mechanisms.wrong_entries import with_wrong_entries

FOUR_BAR = ("constraint_jacobian", "constraint_bias", "kinetic_energy", "body_poses")
LARGE = {"constraint_jacobian": 1e-7, "constraint_bias": 3e-7}
CART = ("inverse_dynamics", "bias_force", "mass_matrix", "gravity_force")


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Model, LoadedModule]]:
    found = {}
    for name in ("cart_pole", "four_bar"):
        directory: Path = tmp_path_factory.mktemp(name)
        generate(name, directory, languages=["numpy"])
        found[name] = examples.load(name), load_numpy(directory / f"{name}.py")
    return found


def checked(model: Model, module: LoadedModule, function: str) -> list[Check]:
    checks, _ = run_checks(model, [module], Settings(3, 1, "weight"))
    return [check for check in checks if check.function == function]


@pytest.mark.parametrize(
    ("name", "function"), [*(("cart_pole", each) for each in CART), *(("four_bar", each) for each in FOUR_BAR)]
)
def test_a_billionth_is_too_much_and_round_off_is_not(
    modules: dict[str, tuple[Model, LoadedModule]], name: str, function: str
) -> None:
    model, module = modules[name]
    right = checked(model, module, function)
    assert right and all(check.passed for check in right)
    # What is compared with the reference as it is, is allowed 1e-10; G is compared with differences, which are allowed
    # 1e-8; G vdot = gamma goes through a solution, whose bound is multiplied with the condition of M, here below 1e3.
    first, _, _ = next(with_wrong_entries(module, function, LARGE.get(function, 1e-9)))
    assert not all(check.passed for check in checked(model, first, function))
    slight, _, _ = next(with_wrong_entries(module, function, 1e-13))
    assert all(check.passed for check in checked(model, slight, function))


def test_gamma_is_held_to_g_times_the_motion(modules: dict[str, tuple[Model, LoadedModule]]) -> None:
    """The check of ``constraint_bias`` is not with the reference, which has closure rows of its own."""
    model, module = modules["four_bar"]
    wrong, _, _ = next(with_wrong_entries(module, "constraint_bias", 1e-3))
    failed = [check for check in checked(model, wrong, "constraint_bias") if not check.passed]
    assert failed and all("G" in check.against or "gamma" in check.against for check in failed), failed
