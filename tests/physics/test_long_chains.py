"""Model files of long chains: they swing as a heavy rope does, and nothing about them grows but rows of numbers."""

from __future__ import annotations

import cProfile
import pstats
import re
from collections.abc import Callable
from math import pi

import numpy as np
import pytest

from mbsym.codegen.interface import ModuleDescription, render
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.transfer_matrix.module import stepping_module, with_steps, work_size
from mbsym.transfer_matrix.recognition import transfer_system
from mbsym.transfer_matrix.stepper import TransferMatrixStepper
from mbsym.transfer_matrix.system import TransferSystem
from mechanisms.chain_files import coordinates, flat, frequency, lowest_mode, repeated, swung

LARGEST = 1e-3


def elements(text: str) -> TransferSystem:
    model = read_native(TextSource("chain.yaml", text))
    return transfer_system(build_mechanism(model, model.label()))


def test_both_files_are_one_chain() -> None:
    assert read_native(TextSource("chain.yaml", repeated(5))) == read_native(TextSource("chain.yaml", flat(5)))


def test_it_swings_like_a_rope() -> None:
    """Against Bernoulli's motion of a rope: bars make 0.3/n^2 of the angle, a step h one of (omega h)^2/8."""
    count, steps = 100, 100
    stepper = TransferMatrixStepper(elements(repeated(count)))
    angles, quarter = lowest_mode(count, LARGEST), pi / 2 / frequency(count)
    state, report = stepper.advance(stepper.start(coordinates(angles), np.zeros(count)), quarter / steps, steps)
    assert report.status == 0
    q, _ = stepper.coordinates_of(stepper.observe(state))
    error = np.abs(np.cumsum(q) + pi / 2 - swung(count, angles, quarter)).max() / LARGEST
    assert error < 0.3 / count**2 + (frequency(count) * quarter / steps) ** 2 / 8


def stepping_code(system: TransferSystem) -> str:
    description = with_steps(ModuleDescription("chain", ()), stepping_module(system))
    return render(description, ("c",))[0].text


def test_code_grows_by_rows_of_numbers_alone() -> None:
    """Lines of C that are no rows of a table are the same for twice the bars, but for the sizes that stand in them."""
    systems = [elements(repeated(count)) for count in (150, 300)]
    short, long = (
        [re.sub(r"\d+|\"\w+\"", "#", line) for line in text.splitlines() if not re.fullmatch(r"[\s\d.,e-]+", line)]
        for text in map(stepping_code, systems)
    )
    assert short == long and len(short) > 1000
    states, memory = ([size(system) for system in systems] for size in (lambda x: x.state_size, work_size))
    assert states[1] == 2 * states[0]
    # Sixteen entries that no body owns.
    assert memory[1] - memory[0] == pytest.approx(memory[0], abs=64)


@pytest.mark.parametrize("text", [repeated, flat])
def test_work_is_in_proportion_to_the_bars(text: Callable[[int], str]) -> None:
    """Calls of Python functions from the file to the elements: each bar costs the same."""

    def calls(count: int) -> int:
        profile = cProfile.Profile()
        profile.runcall(elements, text(count))
        return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]

    calls(2)
    found = [calls(count) for count in (8, 16, 32)]
    assert found[2] - found[1] == pytest.approx(2 * (found[1] - found[0]), rel=0.01)
