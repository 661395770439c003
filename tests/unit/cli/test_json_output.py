"""--json: one document a verb, with what the reference says of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mbsym import __version__
from mbsym.cli.application import VERBS, command_of, main
from mbsym.cli.json_output import DOCUMENTS, ENVELOPE, ERROR, print_json

Captured = pytest.CaptureFixture[str]

WITHOUT = {"manual", "schema"}
"""Verbs that print no result: the one is for people, the other JSON by itself."""

NOT_OF_TREES = {"assembly", "correction", "closure_gap", "speed_gap", "singular_positions", "momentum_drift"}

OF_TRANSFER_MATRICES = {"method", "beams", "elements", "points", "motions"}


def printed(capsys: Captured, *line: str) -> Any:
    assert main([*line, "--json"]) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    return json.loads(out)


def test_every_verb_that_finds_something_has_it() -> None:
    having = {verb for verb in VERBS if any("--json" in item.opts for item in command_of(verb).params)}
    assert having == set(VERBS) - WITHOUT == set(DOCUMENTS)


LINES: list[tuple[list[str], set[str]]] = [
    (["info", "four_bar"], {"models", "not_read"}),
    (["label", "four_bar", "--matrices", "--history"], set()),
    (["derive", "cart_pole"], set()),
    (["report", "cart_pole"], set()),
    (["generate", "cart_pole", "--function", "mass_matrix", "--savings", "-o", "."], set()),
    (["export", "cpp", "cart_pole", "--function", "mass_matrix", "-o", "."], set()),
    (["simulate", "cart_pole", "--duration", "0.01", "--language", "numpy", "-o", "x.csv"], NOT_OF_TREES),
    (["linearise", "cart_pole", "--symbols", "-o", "x.txt"], {"method"}),
    (["equilibrium", "double_pendulum", "--starts", "2"], set()),
    (["modes", "double_pendulum", "--page", "x.html"], OF_TRANSFER_MATRICES),
    (["response", "cart_pole", "--from", "1", "--to", "2", "--points", "2"], set()),
    (["convert", "cart_pole", "copy.yaml"], set()),
    (["show", "cart_pole", "-o", "x.html"], set()),
    (["examples"], set()),
    (["new", "arm"], set()),
    (["doctor"], set()),
    (["examples", "cart_pole"], {"examples", "parts"}),
]


@pytest.mark.parametrize(("line", "missing"), LINES, ids=[" ".join(line[:2]) for line, _ in LINES])
def test_it_holds_what_the_reference_says(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: list[str], missing: set[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = printed(capsys, *line)
    verb = line[0]
    assert [*found][:4] == [*ENVELOPE]
    assert found["mbsym"] == __version__ and found["verb"] == verb
    assert set(found) == {*ENVELOPE, *DOCUMENTS[verb]} - missing
    assert sorted(found["files"]) == sorted(path.name for path in tmp_path.iterdir())


def test_what_an_identification_finds(capsys: Captured) -> None:
    assert {*printed(capsys, "identify", "cart_pole")} <= {*ENVELOPE, *DOCUMENTS["identify"]}


def test_numbers_that_are_not_finite_are_null(capsys: Captured) -> None:
    print_json("modes", "arm", {"damping": float("nan"), "list": (1.0, float("inf"), {"a": float("-inf")})})
    assert json.loads(capsys.readouterr().out) == {
        **{"mbsym": __version__, "verb": "modes", "name": "arm", "files": []},
        **{"damping": None, "list": [1.0, None, {"a": None}]},
    }


@pytest.mark.parametrize(
    ("line", "verb", "error", "status"),
    [
        (
            ["label", "no_such_model"], "label",
            {"what": "there is neither a file nor an example of that name", "where": "no_such_model"}, 2,
        ),
        (
            ["generate", "cart_pole", "--style", "shared", "--prepare"], "generate",
            {
                "what": "functions whose bodies share steps have no use for what is prepared",
                "where": "--style shared",
            }, 2,
        ),
        (["simulate", "cart_pole", "--duration", "long"], "simulate", {"where": "", "remedy": ""}, 2),
        (["simulat", "cart_pole"], "", {"where": "", "remedy": ""}, 2),
    ],
)  # fmt: skip
def test_errors_are_documents_too(
    capsys: Captured, line: list[str], verb: str, error: dict[str, str], status: int
) -> None:
    assert main([*line, "--json"]) == status
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert set(found) == set(ERROR) and found["mbsym"] == __version__
    assert (found["verb"], found["status"]) == (verb, status)
    assert set(found["error"]) == {"what", "where", "remedy"} and found["error"]["what"]
    assert {key: found["error"][key] for key in error} == error
    # What people read is the same.
    told = " ".join(err.split())
    assert all(part in told for part in found["error"].values())
    assert main(line) == status
    assert capsys.readouterr() == ("", err)


def test_a_certificate_that_fails_is_the_only_document(capsys: Captured, tmp_path: Path) -> None:
    assert main(["generate", "cart_pole", "--function", "mass_matrix", "-o", str(tmp_path)]) == 0
    code = tmp_path / "cart_pole.c"
    code.write_text(code.read_text(encoding="utf-8") + "/* changed */\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["verify", str(tmp_path), "--states", "1", "--json"]) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["verb"] == "verify" and "error" not in found and not found["passed"]
    assert err.startswith("mbsym: not verified: ") and err.endswith("; see the table above\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no file that is always full")
@pytest.mark.parametrize("model", ["cart_pole", "no_such_model"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_document_that_cannot_be_printed_is_told_without_a_traceback(
    model: str, unbuffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    program = "import sys; from mbsym.cli import main; sys.exit(main(sys.argv[1:]))"
    with Path("/dev/full").open("w") as full:
        line = [sys.executable, "-c", program, "label", model, "--json"]
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and done.stderr.count("\n") == 1
