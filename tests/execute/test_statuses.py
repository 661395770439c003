"""Each status of each function that can fail, provoked in C, in both precisions, and in Python."""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.codegen.build import WARNINGS
from mbsym.codegen.load import LoadedFunction, LoadedModule, load_c, load_numpy
from mbsym.codegen.statuses import Status
from mbsym.pipeline import GenerationOptions, express
from mbsym.registry import available_functions
from mechanisms.examples import further, some
from mechanisms.singular import CASES, mass_on_a_spring

REALS = ("double", "float")


def frames_of(model: mbsym.Model) -> tuple[str, ...]:
    """The names of its frames."""
    return tuple(frame.name for frame in model.frames)


def with_requested(model: mbsym.Model, formulation: str) -> tuple[str, ...]:
    """All functions that a module can have, those on request too."""
    found = available_functions(express(model, GenerationOptions(frames=frames_of(model))), formulation)
    fixed = () if found.fixed is None else found.fixed.names
    replaced = () if found.fixed is None else found.fixed.replaced
    requested = (*found.on_request, *(function.name for function in found.fixed_on_request))
    return (*(name for name in (*found.functions, *requested) if name not in replaced), *fixed)


@cache
def modules(case: str, real: Any = "double", formulation: str = "auto") -> tuple[LoadedModule, LoadedModule]:
    """In C, which need not be fast, and in Python."""
    model = CASES[case]().model
    with TemporaryDirectory() as scratch:
        mbsym.generate(
            model,
            scratch,
            real=real,
            formulation=formulation,
            functions=with_requested(model, formulation),
            frames=frames_of(model),
        )
        return load_c(scratch, flags=(*WARNINGS, "-O0")), load_numpy(Path(scratch) / f"{model.name}.py")


def arguments(function: LoadedFunction, q: Any) -> list[Any]:
    """Coordinates as given, no damping, and all else one half."""
    given = {"q": np.asarray(q, float), "damping": np.zeros(())}
    return [given.get(item.name, np.full(item.shape, 0.5)) for item in function.inputs]


def provoked(case: str, module: LoadedModule) -> dict[tuple[str, str], Status]:
    """What functions return in the states in which each status is due to those that know it."""
    states, regular = CASES[case]().states, CASES[case]().regular
    found = {}
    for name, function in module.functions.items():
        for status in map(Status.__getitem__, function.statuses):
            if status is Status.NOT_FINITE:
                q: Any = np.full(len(states[Status.OK]), np.nan)
            elif status in states and not (status is Status.SINGULAR and name in regular):
                q = states[status]
            else:
                continue
            found[name, status.name] = Status(int(function.with_status(*arguments(function, q))[1]))
    return found


ALSO_IN_FLOAT = tuple((case, "float") for case in ("wide_loop", "mass_on_a_spring", "driven_gimbal"))
"""Cases whose statuses others return in single precision too."""


@pytest.mark.parametrize(
    ("case", "real"),
    some(product(CASES, REALS), [pair for pair in product(CASES, REALS) if pair not in ALSO_IN_FLOAT]),
)
def test_each_status_is_returned_in_both_languages(case: str, real: str) -> None:
    for module in modules(case, real):
        wrong = {key: found for key, found in provoked(case, module).items() if found.name != key[1]}
        assert wrong == {}, module.language


@pytest.mark.parametrize("real", REALS)
def test_no_status_of_any_function_is_left_out(real: str) -> None:
    """Those that some mechanism's functions say they return are those that some state provokes."""
    said: set[tuple[str, str]] = set()
    seen: set[tuple[str, str]] = set()
    for case in CASES:
        module = modules(case, real)[0]
        said |= {(name, status) for name, function in module.functions.items() for status in function.statuses}
        seen |= provoked(case, module).keys()
    assert said == seen
    assert len(said) > 50


@pytest.mark.more
def test_the_page_promises_nothing_that_is_not_provoked() -> None:
    """Rows of the tables in docs/statuses.md are functions with statuses that some state here provokes."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "statuses.md").read_text(encoding="utf-8")
    names = "|".join(status.name for status in Status)
    rows = set(re.findall(rf"^([a-z_]+) +({names})  ", page, flags=re.MULTILINE))
    seen = {key for case in CASES for key in provoked(case, modules(case)[0])}
    assert {("forward_dynamics", "SINGULAR"), ("closed_form_position", "OUT_OF_REACH")} < rows <= seen


@pytest.mark.parametrize("formulation", ["newton-euler", "articulated-body", "kane", "cfa-kkt"])
@pytest.mark.parametrize("case", [*further("gimbal"), "rod_on_a_universal_joint"])
def test_every_formulation_finds_the_singular_position(case: str, formulation: str) -> None:
    for module in modules(case, formulation=formulation):
        assert Status.SINGULAR in provoked(case, module).values()
        assert all(found.name == key[1] for key, found in provoked(case, module).items())


@pytest.mark.parametrize("case", some(CASES, set(CASES) - {"wide_loop"}))
def test_results_that_are_not_numbers_are_said_to_be_none(case: str) -> None:
    """Where a function of derived code fails no entry can be taken for a result, and C and Python agree."""
    for name, function in modules(case)[0].functions.items():
        other = modules(case)[1].functions[name]
        for status, q in CASES[case]().states.items():
            found, returned = function.with_status(*arguments(function, q))
            expected, also = other.with_status(*arguments(other, q))
            assert returned == also, (name, status)
            results = found if isinstance(found, tuple) else (found,)
            if returned == Status.OK:
                assert all(np.isfinite(result).all() for result in results), name
            theirs = expected[0] if isinstance(expected, tuple) else expected
            assert np.array_equal(np.isfinite(results[0]), np.isfinite(theirs)), name


def test_near_the_singular_position_there_are_results() -> None:
    """A thousandth of a degree from the gimbal position, and a micrometre from the anchor of the spring."""
    for case, step in (("gimbal", 2e-5), ("rod_on_a_universal_joint", 2e-5), ("mass_on_a_spring", 1e-6)):
        for module in modules(case):
            function = module.functions["forward_dynamics"]
            q = np.array(CASES[case]().states[Status.SINGULAR], dtype=float)
            q[1] -= step
            found, status = function.with_status(*arguments(function, q))
            assert status == Status.OK and np.isfinite(found).all()


def test_a_batch_fails_state_by_state() -> None:
    case = mass_on_a_spring()
    states = np.array([case.states[Status.OK], case.states[Status.SINGULAR], [np.nan] * 3], dtype=float)
    for module in modules("mass_on_a_spring"):
        function = module.functions["bias_force"]
        found, status = function.with_status(states, *arguments(function, 0)[1:])
        assert status.tolist() == [Status.OK, Status.SINGULAR, Status.NOT_FINITE]
        assert np.isfinite(np.asarray(found)).all(axis=1).tolist() == [True, False, False]


def test_regular_mechanisms_have_nothing_to_say() -> None:
    """Bodies with inertia of their own keep every pivot above zero; that is shown, not tried."""
    for model in ("double_pendulum", "puma560", "floating_two_arm"):
        with TemporaryDirectory() as scratch:
            mbsym.generate(model, scratch, languages=("c",))
            header = (Path(scratch) / f"{model}.h").read_text()
        assert "_status" not in header and "\nint " not in header
