"""mbsym manual: the manual page."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def manual() -> None:
        """Print the manual page of mbsym; read it with: mbsym manual | man -l -"""
        from mbsym.cli.described import verbs
        from mbsym.cli.manual_page import manual_page

        typer.echo(manual_page(verbs()), nl=False)
