"""Files that stand beside the C of a module when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mbsym.codegen.description import GeneratedFile, ModuleDescription
from mbsym.codegen.manifest import SAFETY_SUFFIXES, SELF_TEST_SUFFIX
from mbsym.formulations.contracts import Contract
from mbsym.kinematics.mechanism import Mechanism

SUFFIXES_BESIDE: Final = (f"{SELF_TEST_SUFFIX}.c", *SAFETY_SUFFIXES)
"""Of what goes with the C beside which it was written, and with no other."""


def self_test_beside(
    description: ModuleDescription, mechanism: Mechanism, contracts: Mapping[str, Contract]
) -> tuple[tuple[GeneratedFile, ...], Mapping[str, object]]:
    """The self-test of a module, and what the manifest says of it by the names of its fields.

    Args:
        description: of the module.
        mechanism: whose functions it has.
        contracts: of these, by name.

    Raises:
        DerivationError: there is none for the module.
    """
    from mbsym.embedded.self_test import self_test  # with NumPy, which nothing else needs

    file, strength = self_test(description, mechanism, contracts)
    return (file,), {"self_test": strength.as_manifest()}


def reports_beside(files: Sequence[GeneratedFile]) -> tuple[GeneratedFile, ...]:
    """The safety report of a module, whose manifest is the last file.

    Raises:
        CodegenError: the module is not written in C.
    """
    from mbsym.embedded.safety import safety_report  # with what nothing else needs

    return safety_report(files)
