"""A certificate tells all that was found and what was not; a check of it finds every fault that is planted."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mbsym
from mbsym.codegen.manifest import CERTIFICATE_SUFFIXES
from mbsym.errors import CodegenError, OptionError, ToolchainError, VerificationError
from mbsym.verification import certificate, recheck
from mbsym.verification.certificate import Certificate
from mbsym.verification.recheck import check_certificate
from mechanisms.certificate_edits import content, forged, in_file, on_the_whole, told_otherwise
from mechanisms.examples import some

NAME = "double_pendulum"
BOX = "v: [-2, 2]\ntau: [-10, 10]\nq: [-0.3, 0.3]\nparameters: {m2: [0.5, 1]}\n"
NEEDS_SSH = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


def module(directory: Path, *functions: str, safety_report: bool = False) -> Path:
    """A directory with C, and a certificate of it."""
    mbsym.generate(NAME, directory, languages=["c"], functions=functions, safety_report=safety_report)
    (directory / "box.yaml").write_text(BOX, encoding="utf-8")
    mbsym.certify(directory, directory / "box.yaml", effort=1e-3, samples=20)
    mbsym.verify(directory, states=1, exact=True)
    return directory


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return module(tmp_path_factory.mktemp("made"), "gravity_force", "forward_dynamics")


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


@pytest.fixture(scope="module")
def found(made: Path) -> Certificate:
    return recheck.certified(made / f"{NAME}.json", recheck.VerifyOptions(states=1, exact=True))


@pytest.fixture
def found_once(found: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found again is found once: the texts stay as they are."""
    monkeypatch.setattr(recheck, "certified", lambda *_: found)
    monkeypatch.setattr(certificate, "certified", lambda _, asked, *__: replace(found, states=asked.states))
    monkeypatch.setattr(recheck._Check, "bounds", lambda _: None)


def test_it_holds_and_the_same_is_written_twice(run: Any, made: Path, copy: Path) -> None:
    done = run("verify", copy / f"{NAME}.certificate.json", "--check-certificate")
    assert done.status == 0 and done.out.endswith("the certificate holds\n")
    assert "DIFFERS" not in done.out and "against accidents, not against hands" in done.out
    mbsym.verify(copy, states=1, exact=True)
    for suffix in CERTIFICATE_SUFFIXES[:2]:
        assert (copy / f"{NAME}{suffix}").read_bytes() == (made / f"{NAME}{suffix}").read_bytes()


@pytest.mark.usefixtures("found_once")
@pytest.mark.parametrize("count", some((150, 30), (30,)))
def test_faults_planted_in_the_data_are_found(made: Path, copy: Path, count: int) -> None:
    """Each forged, with the page that belongs to it; versions of tools may be others, and are told."""
    faults = told_otherwise(made, NAME, count)
    for fault in faults:
        fault.plant(copy)
        try:
            found = check_certificate(copy)
        except CodegenError as error:
            assert f"{NAME}.certificate.json" in error.where, fault.what
        else:
            of_tools = fault.what.startswith(("tools", "compiler"))
            assert found.faults or (of_tools and found.remarks[-1].startswith("other tools made it")), fault.what
        for suffix in CERTIFICATE_SUFFIXES[:2]:
            shutil.copyfile(made / f"{NAME}{suffix}", copy / f"{NAME}{suffix}")
    assert check_certificate(copy).faults == ()


@pytest.mark.parametrize("what", some(("C", "bounds"), ("C",)))
def test_faults_planted_beside_it_are_found(run: Any, made: Path, copy: Path, what: str) -> None:
    """In real: everything is found again. The benchmark plants a hundred and more."""
    signed_again = [each for each in on_the_whole(NAME, made) if "signed again" in each.what]
    bound = content(made, f"{NAME}.bounds.json")["functions"][0]["outputs"][0]["bound"]
    smaller = in_file(NAME, "bounds", "bounds", ("functions", 0, "outputs", 0, "bound"), 0.97 * bound)
    (fault,) = signed_again if what == "C" else [smaller]
    fault.plant(copy)
    done = run("verify", copy / f"{NAME}.json", "--check-certificate")
    assert done.status == 1 and "Traceback" not in done.err
    assert ("forward_dynamics" if what == "C" else f"DIFFERS: {NAME}.bounds.json: ") in done.out


@pytest.mark.usefixtures("found_once")
def test_what_is_damaged_is_named_with_its_place(run: Any, copy: Path) -> None:
    file = copy / f"{NAME}.certificate.json"
    whole = content(copy, file.name)

    def said(text: str) -> str:
        file.write_text(text, encoding="utf-8")
        done = run("verify", copy, "--check-certificate")
        assert done.status in (1, 2) and "Traceback" not in done.err
        return str(done.err)

    assert f"{file}: Invalid JSON" in said(json.dumps(whole)[:300])
    missing = said(json.dumps({**whole, "coverage": {"branches": 0}}))
    assert "coverage.branches_taken: it is missing; verify again" in missing
    assert "mbsym 0.0.1 wrote the certificate" in said(json.dumps({**whole, "mbsym": "0.0.1"}))
    assert "a key twice, or edited by hand" in said(json.dumps(whole))
    forged(copy, NAME, {**whole, "model_sha256": "0" * 64})
    assert "model_sha256: it is of another model, 000" in said(file.read_text(encoding="utf-8"))
    page = copy / f"{NAME}.certificate.md"
    forged(copy, NAME, whole)
    page.write_text(page.read_text(encoding="utf-8").replace("**verified**", "**proven**"), encoding="utf-8")
    assert f"{page.name}:5: the page does not say" in said(file.read_text(encoding="utf-8"))
    file.unlink()
    assert "the certificate cannot be read" in run("verify", copy, "--check-certificate").err
    refused = run("verify", copy, "--check-certificate", "--states", "3")
    assert refused.status == 2 and "leave out --states" in refused.err
    assert "add --check-certificate" in run("verify", copy, "--allowed-signers", "x").err


def test_every_sentence_of_the_page_has_its_command(made: Path) -> None:
    page = (made / f"{NAME}.certificate.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", page, flags=re.MULTILINE)
    assert [section.partition("\n")[0] for section in sections[1:3]] == ["Unchecked", "Functions"]
    for section in sections:
        title, _, text = section.partition("\n")
        lines = [line for line in text.splitlines() if line and not line.startswith(("|", "Generated by"))]
        checked = any(words in text for words in ("All of this section", "made again by", "The command of each row"))
        assert lines and [line for line in lines if not checked and not line.endswith("`")] == [], title
    commands = set(re.findall(r"`([a-z0-9-]+) ", page))
    assert {"mbsym", "sha256sum", "ssh-keygen", "python3", "grep"} <= commands
    unchecked = content(made, f"{NAME}.certificate.json")["unchecked"]
    assert all(f"* **{item['what']}: {item['why']}** `{item['command']}`" in sections[1] for item in unchecked)
    assert {"other compilers", "other programs", "MISRA C and stack"} <= {item["what"] for item in unchecked}


def test_hashes_of_the_page_are_checked_by_its_commands(made: Path) -> None:
    page = (made / f"{NAME}.certificate.md").read_text(encoding="utf-8")
    commands = re.findall(r"`((?:sha256sum|python3) .*?)`", page)
    here = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    told = [subprocess.check_output(["bash", "-c", line], cwd=made, text=True, env=here) for line in commands]
    data = content(made, f"{NAME}.certificate.json")
    files = [*data["files"], data["bounds"]["file"]]
    assert [text for text in told if "OK" in text] == [f"{name}: OK\n" for name in files]
    assert told[0].strip() == data["model_sha256"]


@pytest.mark.more
def test_further_compilers_are_checked_alike(copy: Path) -> None:
    found = mbsym.verify(copy, states=1, compilers=["cc -O0"])
    assert found.passed and {check.language for check in found.checks} == {"c", "c by cc -O0"}
    assert check_certificate(copy).faults == ()
    wrong = mbsym.verify(copy, states=1, compilers=["cc -O1 -Dsin=cos"])
    assert {check.language for check in wrong.checks if not check.passed} == {"c by cc -O1 -Dsin=cos"}
    for command, what in (("", "no compiler is named"), ("cc '-O2", "no closing quotation")):
        with pytest.raises(OptionError, match=what):
            mbsym.verify(copy, compilers=[command])
    with pytest.raises(ToolchainError, match="no C compiler 'nocc'"):
        mbsym.verify(copy, states=1, compilers=["nocc -O2"])
    told = content(copy, f"{NAME}.certificate.json")
    forged(copy, NAME, json.loads(json.dumps(told).replace("cc -O1", "nocc -O1")))
    assert "nocc -O1 -Dsin=cos is not here: what it compiled was not run again" in check_certificate(copy).remarks


@NEEDS_SSH
@pytest.mark.more
@pytest.mark.usefixtures("found_once")
def test_signatures_say_who_signed(run: Any, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [copy / "own", copy / "other"]
    for key in keys:
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    signers = copy / "signers"
    signers.write_text(f"me@example.org {keys[0].with_suffix('.pub').read_text(encoding='utf-8')}", encoding="utf-8")
    unsigned = check_certificate(copy, allowed_signers=signers)
    assert unsigned.faults == (f"{NAME}.certificate.json.sig: there is no signature, which `sign KEY` writes",)
    signature = copy / f"{NAME}.certificate.json.sig"

    def told() -> Any:
        return run("verify", copy, "--check-certificate", "--allowed-signers", signers)

    mbsym.verify(copy, states=1, exact=True, sign=keys[0])
    assert "signature: by me@example.org" in told().out and told().status == 0
    assert "whose is not known without --allowed-signers" in run("verify", copy, "--check-certificate").out
    mbsym.verify(copy, states=1, exact=True, sign=keys[1])
    assert told().status == 1 and "signed by a key that is nobody's" in told().out
    mbsym.verify(copy, states=1, exact=True, sign=keys[0])
    whole = content(copy, f"{NAME}.certificate.json")
    forged(copy, NAME, {**whole, "remarks": ["all is well"]})
    assert "the signature does not fit the certificate" in told().out
    assert "the signature does not fit the certificate" in run("verify", copy, "--check-certificate").out
    # Another certificate has no use for it.
    mbsym.verify(copy, states=2)
    assert not signature.exists()
    with pytest.raises(VerificationError, match="the key does not sign"):
        mbsym.verify(copy, states=1, sign=signers)
    with pytest.raises(OptionError, match="there is no such key"):
        mbsym.verify(copy, sign=copy / "none")
    monkeypatch.setattr("mbsym.verification.signature.PROGRAM", "no-such-program")
    done = run("verify", copy, "--states", "1", "--sign", keys[0])
    assert done.status == 3 and "apt install openssh-client" in done.err


@pytest.mark.more
def test_a_safety_report_is_told_and_made_again(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands beside the manifest, and is none; of another compiler it is not made again."""
    monkeypatch.setattr("mbsym.embedded.misra.runs", lambda _: False)  # cppcheck takes seconds
    mbsym.generate(NAME, tmp_path, languages=["c"], functions=["gravity_force"], safety_report=True)
    mbsym.verify(tmp_path, states=1)
    told = content(tmp_path, f"{NAME}.certificate.json")["safety"]
    assert told["stack"]["bytes"]["gravity_force"] >= 0 and "deviation" in told["rules"]
    assert "safety report: made again, it is the same" in check_certificate(tmp_path).done
    in_file(NAME, "safety report", "safety", ("functions", 0, "complexity"), 99).plant(tmp_path)
    assert any("functions[0].complexity: it tells 99" in each for each in check_certificate(tmp_path).faults)
    monkeypatch.setenv("CFLAGS", "-O0")
    assert any("set CC and CFLAGS to these" in each for each in check_certificate(tmp_path).remarks)
