"""mbsym verify: compile, run, compare, certify."""

from __future__ import annotations

import json

import typer

from mbsym.cli.arguments import AsJson
from mbsym.cli.model_source import tell_immobility
from mbsym.cli.progress import progress_bar
from mbsym.errors import VerificationError


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def verify(
        target: str = typer.Argument(help="Directory of generated files or a manifest there, model file, or example."),
        states: int = typer.Option(20, "--states", min=1, max=100000, help="Number of random states."),
        seed: int = typer.Option(0, "--seed", min=0, help="Seed of the random states."),
        as_json: AsJson = False,
    ) -> None:
        """Compile generated code, run it against an independent reference, and write the certificate.

        What stands in the directory is compiled and run: verify only what you would run.
        """
        from mbsym.pipeline import read
        from mbsym.verification.certificate import is_generated
        from mbsym.verification.certificate import verify as verify_module

        if not is_generated(target):
            tell_immobility(read(target))
        with progress_bar() as progress:
            certificate = verify_module(target, states=states, seed=seed, progress=progress)
        typer.echo(json.dumps(certificate.as_dict(), ensure_ascii=False) if as_json else certificate.summary())
        if not certificate.passed:
            raise VerificationError(f"not verified: {', '.join(certificate.failures)}", remedy="see the table above")
