"""The options of a generation as data: what each is called, and which values are worth trying with all others.

Whoever tries combinations reads this table; an option that is listed here is tried with every other one, and with every
joint, element and formulation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mbsym.codegen.languages import LANGUAGES
from mbsym.conventions import LARGEST_CODE
from mbsym.errors import MbsymError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.records import Registry
from mbsym.registry import FORMULATIONS, SIMPLIFICATIONS, available_functions
from mbsym.topology.assembly_orders import ASSEMBLY_ORDERS


@dataclass(frozen=True, slots=True)
class Option:
    """One option of ``mbsym.generate``.

    Attributes:
        name: of the argument.
        choices: values worth trying, by what they are called; the first is the default.
        of_model: what else is worth trying with a model, by what it is called; None where the model has no such thing.
        says_what: results mean something else by it, or others are asked for; else it only says how they are made.
    """

    name: str
    choices: Callable[[], Mapping[str, Any]]
    of_model: Mapping[str, Callable[[Mechanism], Any]] | None = None
    says_what: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """What the values are called."""
        return (*self.choices(), *(self.of_model or {}))

    def value(self, name: str, mechanism: Mechanism) -> Any:
        """What ``mbsym.generate`` is given; None where the model has no such thing."""
        choices = self.choices()
        return choices[name] if name in choices else (self.of_model or {})[name](mechanism)


def _switch(name: str, on: str, *, says_what: bool = False) -> Option:
    return Option(name, lambda: {"no": False, on: True}, says_what=says_what)


def _languages() -> dict[str, Any]:
    alone = {name: (name,) for name in LANGUAGES}
    return {"default": (), **alone, "every": tuple(LANGUAGES)}


def _on_request(mechanism: Mechanism) -> tuple[str, ...]:
    """Functions that a module has only where they are named, but for derivatives, which take long to derive."""
    return tuple(name for name in available_functions(mechanism, "auto").on_request if "derivative" not in name)


def _derivatives(mechanism: Mechanism) -> tuple[str, ...]:
    """The last of the derivatives that a module has only where they are named, which contains what others need."""
    found = available_functions(mechanism, "auto")
    names = (*found.on_request, *(function.name for function in found.fixed_on_request))
    return tuple(name for name in names if name.endswith("dynamics_derivatives"))[-1:]


def _by_parameter(mechanism: Mechanism) -> Any:
    names = [item.name for item in mechanism.parameters]
    return (("inverse_dynamics", (names[0],)),) if names else None


def _last_body(mechanism: Mechanism) -> str:
    return mechanism.model.bodies[-1].name


def _inertial(mechanism: Mechanism) -> tuple[str, ...]:
    return tuple(f"{body.name}.inertial" for body in mechanism.model.bodies)


def _some_parameter(mechanism: Mechanism) -> tuple[str, ...] | None:
    return tuple(item.name for item in mechanism.model.parameters)[:1] or None


OPTIONS: Final = Registry(
    "option",
    (
        Option("languages", _languages),
        Option(
            "functions",
            lambda: {"default": (), "three": ("inverse_dynamics", "mass_matrix", "momentum")},
            {"on request": _on_request, "derivatives": _derivatives},
            says_what=True,
        ),
        Option("formulation", lambda: {name: name for name in FORMULATIONS}),
        Option("real", lambda: {"double": "double", "float": "float"}),
        Option(
            "symbolic_parameters",
            lambda: {"as the model": "", "all": "all", "none": "none"},
            {"one": _some_parameter, "inertial": _inertial},
            says_what=True,
        ),
        Option("order", lambda: {name: name for name in ASSEMBLY_ORDERS}, says_what=True),
        Option("prefix", lambda: {"default": "", "its own": "own", "an argument's": "q", "a result's": "poses"}),
        Option(
            "frames",
            lambda: {"none": ()},
            {
                "a body": lambda mechanism: (_last_body(mechanism),),
                "a joint": lambda mechanism: (mechanism.model.joints[0].name,),
            },
            says_what=True,
        ),
        Option(
            "frame_axes",
            lambda: {"default": "", "local": "local", "aligned": "aligned", "base": "base"},
            says_what=True,
        ),
        Option("largest", lambda: {"default": LARGEST_CODE, "any": float("inf")}),
        Option(
            "derivatives",
            lambda: {"none": (), "by q and v": (("bias_force", ("q", "v")), ("potential_energy", ("q",)))},
            {"by a parameter": _by_parameter},
            says_what=True,
        ),
        _switch("compressed", "compressed"),
        Option("trigonometry", lambda: {name: name for name in ("libm", "inline", "argument")}),
        Option("batch", lambda: {"none": (), "all": ("all",)}),
        Option("simplify", lambda: {"all": "all", "none": "none", **{name: (name,) for name in SIMPLIFICATIONS}}),
        _switch("self_test", "self-test"),
        _switch("safety_report", "safety report"),
        _switch("prepare", "prepare"),
        Option("style", lambda: {name: name for name in ("auto", "straight", "shared")}),
        Option("threads", lambda: {"none": 0, "two": 2}),
    ),
    MbsymError,
)
"""All options of ``mbsym.generate`` that say what is generated."""
