"""Values of options that are worth trying in combination and depend on the model or on what is registered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mbsym.records import Registry

if TYPE_CHECKING:
    from mbsym.kinematics.mechanism import Mechanism
    from mbsym.registry import Available


Kind = Literal["formulation", "language", "simplification"]


def registered(kind: Kind) -> Registry[Any]:
    """What there is of a kind; help of many verbs does without importing that."""
    from mbsym.codegen.languages import LANGUAGES
    from mbsym.kinematics.simplifications import SIMPLIFICATIONS
    from mbsym.registry import FORMULATIONS

    found: dict[Kind, Registry[Any]] = {
        "formulation": FORMULATIONS,
        "language": LANGUAGES,
        "simplification": SIMPLIFICATIONS,
    }
    return found[kind]


def _available(mechanism: Mechanism) -> Available:
    from mbsym.registry import available_functions

    return available_functions(mechanism, "auto")


def formulations() -> dict[str, Any]:
    """All of them."""
    return {name: name for name in registered("formulation")}


def usual() -> tuple[str, ...]:
    """The languages of modules for which none is named."""
    from mbsym.codegen.languages import by_default

    return by_default()


def languages() -> dict[str, Any]:
    """Each alone, and all."""
    names = tuple(registered("language"))
    return {"default": (), **{name: (name,) for name in names}, "every": names}


def simplifications() -> dict[str, Any]:
    """All, none and each alone."""
    return {"all": "all", "none": "none", **{name: (name,) for name in registered("simplification")}}


def on_request(mechanism: Mechanism) -> tuple[str, ...]:
    """Functions that a module has only where they are named, but for derivatives, which take long to derive."""
    return tuple(name for name in _available(mechanism).on_request if "derivative" not in name)


def derivatives(mechanism: Mechanism) -> tuple[str, ...]:
    """The last of the derivatives that a module has only where they are named, which contains what others need."""
    found = _available(mechanism)
    names = (*found.on_request, *(function.name for function in found.fixed_on_request))
    return tuple(name for name in names if name.endswith("dynamics_derivatives"))[-1:]


def by_parameter(mechanism: Mechanism) -> Any:
    """A derivative by a run-time parameter; None where there is none."""
    names = [item.name for item in mechanism.parameters]
    return (("inverse_dynamics", (names[0],)),) if names else None
