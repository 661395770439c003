"""What time steps need beside the catalogue has checks too, and passes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbsym import examples
from mbsym.reference import Reference
from mbsym.simulation.equations import prepare
from mbsym.simulation.options import Preparation
from mbsym.simulation.step_terms import external_power, speeds_of_momentum, variational_terms
from mbsym.verification.checks import Worst, check_function
from mbsym.verification.evidence import Companions, Evidence, Numbers
from mbsym.verification.random_state import random_state

FUNCTIONS = (external_power, variational_terms, speeds_of_momentum)


@pytest.mark.parametrize("name", ["cart_pole", "double_pendulum", "floating_two_arm"])
def test_the_terms_of_a_step_pass_their_checks(name: str) -> None:
    model = examples.load(name)
    equations = prepare(model, preparation=Preparation("numpy"), variational=True)
    reference = Reference(model, model.label())
    rng = np.random.default_rng(3)
    q, v, tau = random_state(model, model.label(), rng, reference=reference)
    state: dict[str, Any] = {"q": q, "v": v, "tau": tau, "t": 0.2, "u": rng.uniform(-1, 1, len(model.inputs))}
    numbers = Numbers(reference, state)
    condition = float(np.linalg.cond(reference.mass_matrix(q)))
    for function in FUNCTIONS:
        if function.name not in equations.module.functions:
            assert function is external_power and not equations.sizes.powered
            continue
        worst = Worst()
        evidence = Evidence(function.name, equations.module, numbers, Companions(equations.mechanism))
        check_function(worst, function.contract, evidence, condition, 0)
        assert len(worst.found) == len(function.contract.identities)
        assert all(check.passed for check in worst.found.values()), worst.found
