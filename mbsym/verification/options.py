"""What a certificate is asked to be about."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mbsym.errors import OptionError
from mbsym.option import FILES, NUMBERS, WHAT, Checked, option

DEFAULT_STATES: Final = 20


MOST_STATES: Final = 100_000
"""More take hours, and are a slip."""


def _few(states: int) -> None:
    if not 1 <= states <= MOST_STATES:
        raise OptionError(f"{states} states are none, or too many", where="`states`", remedy=f"give 1 to {MOST_STATES}")


def _commands(compilers: tuple[str, ...]) -> None:
    for command in compilers:
        try:
            named = bool(shlex.split(command))
        except ValueError as error:
            raise OptionError(
                f"{command!r} cannot be read: {str(error).lower()}",
                where="`compilers`",
                remedy="close its quotation marks",
            ) from None
        if not named:
            raise OptionError(
                "no compiler is named", where="`compilers`", remedy="give it with its flags, as in 'clang -O3'"
            )


def _key(key: Path | None) -> None:
    if key is not None and not key.is_file():
        raise OptionError("there is no such key", where=str(key), remedy="make one: ssh-keygen -t ed25519 -f KEY")


@dataclass(frozen=True, slots=True)
class VerifyOptions(Checked):
    """How a module is verified.

    Attributes:
        states: number of random states.
        seed: of these.
        exact: whether the texts are proven too.
        compilers: that compile the C besides, each with its flags.
        sign: a key that signs what is written; None where nobody does.
    """

    states: int = option(DEFAULT_STATES, "Number of random states.", "states", heading=NUMBERS, least=1, check=_few)
    seed: int = option(0, "Seed of the random states.", "seed", heading=NUMBERS, least=0)
    exact: bool = option(False, "Prove the texts too, in a finite field.", "exact", heading=WHAT)
    compilers: tuple[str, ...] = option(
        (), "Check the C as this compiles it too, with its flags, as in 'clang -O3'; repeatable.", "compiler",
        heading=WHAT, typed=tuple, check=_commands,
    )  # fmt: skip
    sign: Path | None = option(
        None,
        "Sign the certificate with this key, by ssh-keygen.",
        "sign",
        heading=FILES,
        kind=Path,
        check=_key,
    )
