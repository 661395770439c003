"""mbsym certify: guaranteed rounding bounds of generated C."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from mbsym.cli.delivery import PRINTING, Delivery
from mbsym.cli.progress import progress_bar
from mbsym.cli.taken import taken, verb
from mbsym.errors import OptionError, VerificationError
from mbsym.rounding.options import CertifyOptions


@verb(
    "mbsym certify build --box states.yaml",
    "mbsym certify build --function gravity_force --effort 0.2",
    "mbsym certify --check build/puma560.bounds.json",
)
def certify(
    target: str = typer.Argument("", help="Directory of generated files or a manifest there."),
    box: Path | None = typer.Option(None, "--box", help="Intervals of states; limits of the model by default."),
    check: Path | None = typer.Option(None, "--check", help="NAME.bounds.json to check by exact numbers instead."),
    parts: int = typer.Option(40, "--parts", min=0, help="Parts of the box that --check takes; 0 for all."),
    options: CertifyOptions = taken(CertifyOptions),
    delivery: Delivery = PRINTING,
) -> None:
    """Bound the rounding errors of generated C over a box; exclude overflow, division by zero and NaN there.

    What stands in the directory is compiled and run: certify only what you would run.
    """
    from mbsym.rounding.certify import certify as run

    if (check is None) == (target == ""):
        raise OptionError("either a directory is certified or a file is checked", remedy="give one of them")
    if check is not None:
        from mbsym.rounding.checking import check_bounds

        with progress_bar() as progress:
            checked = check_bounds(check, parts=parts, seed=options.seed, progress=progress)
        delivery.tell("certify", checked.name, checked.as_dict(), (), checked.summary())
        failed = checked.faults
    else:
        with progress_bar() as progress:
            names = CertifyOptions.__dataclass_fields__
            found = run(target, box, progress=progress, **{name: getattr(options, name) for name in names})
        delivery.tell("certify", found.name, found.as_dict(), (), found.summary())
        failed = () if found.passed else (found.verdict,)
    if failed:
        print(f"mbsym: {failed[0]}; see above", file=sys.stderr)
        raise typer.Exit(VerificationError.exit_status)
