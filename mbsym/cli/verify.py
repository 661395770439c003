"""mbsym verify: compile, run, compare, certify."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import typer

from mbsym.cli.delivery import PRINTING, Delivery
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import PLAIN, READING_FOR_ANY_ORDER, Reading, read_model
from mbsym.cli.spoken import spoken
from mbsym.cli.taken import taken, verb
from mbsym.errors import OptionError, VerificationError
from mbsym.model.system import Model
from mbsym.verification.options import VerifyOptions


@verb(
    "mbsym verify build",
    "mbsym verify build --exact --compiler 'clang -O3' --sign ~/.ssh/id_ed25519",
    "mbsym verify build --check-certificate --allowed-signers signers",
    "mbsym verify build/puma560.json --states 100",
    "mbsym verify four_bar",
)
def verify(
    target: str = typer.Argument(help="Directory of generated files or a manifest there, model file, or example."),
    check_certificate: bool = typer.Option(False, "--check-certificate", help="Check the one that is there instead."),
    allowed_signers: Path | None = typer.Option(None, "--allowed-signers", help="Whose signature it must bear then."),
    options: VerifyOptions = taken(VerifyOptions),
    reading: Reading = READING_FOR_ANY_ORDER,
    delivery: Delivery = PRINTING,
) -> None:
    """Compile generated code, run it against an independent reference, and write the certificate.

    With --exact the texts are read back too, and each function is proven equal to another derivation, or named. With
    --check-certificate all that NAME.certificate.json tells is found again and compared, and nothing is written.

    What stands in the directory is compiled and run: verify only what you would run.
    """
    from mbsym.verification.certificate import is_generated
    from mbsym.verification.certificate import verify as verify_module

    if check_certificate:
        if options != VerifyOptions():
            raise OptionError(
                "a certificate is checked in the way that it tells", where="--check-certificate",
                remedy="leave out --states, --seed, --exact, --compiler and --sign",
            )  # fmt: skip
        _check(target, allowed_signers, delivery)
        return
    if allowed_signers is not None:
        raise OptionError("no signature is looked at", where="--allowed-signers", remedy="add --check-certificate")
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
        certificate = verify_module(source, progress=progress, **asdict(options))
    delivery.tell("verify", certificate.name, certificate.as_dict(), (), certificate.summary())
    if not certificate.passed:
        # The certificate has been told, and is the document of --json.
        print(f"mbsym: not verified: {', '.join(certificate.failures)}; see the table above", file=sys.stderr)
        raise typer.Exit(VerificationError.exit_status)


def _check(target: str, allowed_signers: Path | None, delivery: Delivery) -> None:
    """Checks the certificate that is there, and tells of it."""
    from mbsym.verification.recheck import check_certificate

    with progress_bar() as progress:
        found = check_certificate(target, allowed_signers=allowed_signers, progress=progress)
    delivery.tell("verify", found.name, found.as_dict(), (), spoken(found.summary()))
    if found.faults:
        first = spoken(found.faults[0])
        print(f"mbsym: the certificate of {found.name} does not hold: {first}; see above", file=sys.stderr)
        raise typer.Exit(VerificationError.exit_status)
