"""How the program ends: a status for every kind of error, one line that says what to do, never a traceback."""

from __future__ import annotations

import pytest
import typer

from mbsym.cli import application
from mbsym.cli.application import INTERRUPTED_STATUS, USAGE_STATUS, main
from mbsym.cli.manual import command_of, manual_page
from mbsym.errors import FormatError, MbsymError, ToolchainError, VerificationError


def ends_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    """The exit status of a program whose only verb fails."""

    def made() -> typer.Typer:
        app = typer.Typer(pretty_exceptions_enable=False)

        @app.command()
        def fail() -> None:
            raise error

        return app

    monkeypatch.setattr(application, "application", made)
    return main([])


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (VerificationError("not verified: mass_matrix"), 1),
        (FormatError("a list", where="arm.yaml:3:4", remedy="write a number"), 2),
        (ToolchainError("no compiler", remedy="install gcc"), 3),
    ],
)
def test_every_error_has_its_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: MbsymError, status: int
) -> None:
    assert ends_with(monkeypatch, error) == status
    out, err = capsys.readouterr()
    assert out == "" and "Traceback" not in err
    assert err.startswith(error.where or "mbsym: ")
    assert error.remedy in err


def test_what_the_system_refuses_is_told_with_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends_with(monkeypatch, PermissionError(13, "Permission denied", "arm.c")) == USAGE_STATUS
    assert capsys.readouterr().err == "mbsym: arm.c: Permission denied\n"


def test_an_interruption_has_the_status_of_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends_with(monkeypatch, KeyboardInterrupt()) == INTERRUPTED_STATUS
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err


@pytest.mark.parametrize(("arguments", "status"), [(["--version"], 0), (["--help"], 0), (["no-such-verb"], 2), ([], 2)])
def test_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], status: int) -> None:
    assert main(arguments) == status
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert (out + err).strip()


def test_the_manual_says_what_help_says() -> None:
    """Of a verb its whole sentence, not the few words of the list of verbs; of an option all of its own."""
    page = " ".join(manual_page().replace("\\-", "-").split())
    for name in ("identify", "simulate", "modes"):
        command = command_of(name)
        assert " ".join(command.help.split()) in page
        told = [item.help for item in command.params if getattr(item, "help", None)]
        assert len(told) > 5 and all(" ".join(help.split()) in page for help in told)
