"""Files that stand beside the C of a module when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mbsym.codegen.description import GeneratedFile, ModuleDescription
from mbsym.codegen.manifest import SAFETY_SUFFIXES, SELF_TEST_SUFFIX
from mbsym.kinematics.mechanism import Mechanism


@dataclass(frozen=True, slots=True)
class Beside:
    """Files, and what the manifest says of them.

    Attributes:
        files: in the order of ``BESIDE``.
        manifest: fields by name.
    """

    files: tuple[GeneratedFile, ...] = ()
    manifest: Mapping[str, object] = field(default_factory=dict)


def _self_test(description: ModuleDescription, mechanism: Mechanism) -> Beside:
    from mbsym.embedded.self_test import self_test  # with NumPy, which nothing else needs

    file, strength = self_test(description, mechanism)
    return Beside((file,), {"self_test": strength.as_manifest()})


BESIDE: Final[Mapping[str, Callable[[ModuleDescription, Mechanism], Beside]]] = {"self_test": _self_test}
"""By the names of the options that ask for them."""

SUFFIXES_BESIDE: Final = (f"{SELF_TEST_SUFFIX}.c", *SAFETY_SUFFIXES)
"""Of what goes with the C beside which it was written, and with no other."""


def made_beside(asked: Sequence[str], description: ModuleDescription, mechanism: Mechanism) -> Beside:
    """What was asked for; what follows from the printed files is not among it.

    Raises:
        DerivationError: there is no such file for the module.
    """
    made = [make(description, mechanism) for name, make in BESIDE.items() if name in asked]
    fields = {name: value for item in made for name, value in item.manifest.items()}
    return Beside(tuple(file for item in made for file in item.files), fields)


def reports_beside(files: Sequence[GeneratedFile]) -> tuple[GeneratedFile, ...]:
    """The safety report of a module, whose manifest is the last file.

    Raises:
        CodegenError: the module is not written in C.
    """
    from mbsym.embedded.safety import safety_report  # with what nothing else needs

    return safety_report(files)
