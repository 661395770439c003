"""mbsym verify: compile, run, compare, certify."""

from __future__ import annotations

import sys

import typer

from mbsym.cli.delivery import PRINTING, Delivery
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import PLAIN, READING_FOR_ANY_ORDER, Reading, read_model
from mbsym.cli.taken import verb
from mbsym.errors import VerificationError
from mbsym.model.system import Model


@verb(
    "mbsym verify build",
    "mbsym verify build --exact",
    "mbsym verify build/puma560.json --states 100",
    "mbsym verify four_bar",
)
def verify(
    target: str = typer.Argument(help="Directory of generated files or a manifest there, model file, or example."),
    states: int = typer.Option(20, "--states", min=1, max=100000, help="Number of random states."),
    seed: int = typer.Option(0, "--seed", min=0, help="Seed of the random states."),
    exact: bool = typer.Option(False, "--exact", help="Prove the texts too, in a finite field."),
    reading: Reading = READING_FOR_ANY_ORDER,
    delivery: Delivery = PRINTING,
) -> None:
    """Compile generated code, run it against an independent reference, and write the certificate.

    With --exact the texts are read back too, and each function is proven equal to another derivation, or named.

    What stands in the directory is compiled and run: verify only what you would run.
    """
    from mbsym.verification.certificate import is_generated
    from mbsym.verification.certificate import verify as verify_module

    source: Model | str = target
    if not is_generated(target):
        source = read_model(target, reading)
    elif reading.load.loops is not None:
        raise VerificationError(
            f"{target} is generated with the loops that it has", where="`loops`", remedy="leave it out"
        )
    elif reading != PLAIN:
        raise VerificationError(
            f"{target} is generated from a model that was read before", remedy="leave out what says how to read it"
        )
    with progress_bar() as progress:
        certificate = verify_module(source, states=states, seed=seed, exact=exact, progress=progress)
    delivery.tell("verify", certificate.name, certificate.as_dict(), (), certificate.summary())
    if not certificate.passed:
        # The certificate has been told, and is the document of --json.
        print(f"mbsym: not verified: {', '.join(certificate.failures)}; see the table above", file=sys.stderr)
        raise typer.Exit(VerificationError.exit_status)
