"""Signatures of certificates by ssh-keygen: who signed, and whether it is about these bytes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from mbsym.errors import ToolchainError, VerificationError

PROGRAM: Final = "ssh-keygen"
NAMESPACE: Final = "mbsym-certificate"
"""Of the signatures, so that one of something else does not fit."""

SUFFIX: Final = ".sig"
"""Behind the name of what is signed."""


def verifying(name: str, signers: str = "SIGNERS", identity: str = "NAME") -> str:
    """The command by which anybody checks the signature of a file."""
    return f"{PROGRAM} -Y verify -f {signers} -I {identity} -n {NAMESPACE} -s {name}{SUFFIX} < {name}"


def signed(text: str, key: Path) -> str:
    """The signature of a text by a key of SSH; its passphrase is asked for by ssh-keygen, or ssh-agent has it.

    Raises:
        ToolchainError: there is no ssh-keygen.
        VerificationError: the key cannot be read, or does not sign.
    """
    done = _run(["-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE], text)
    if done.returncode or not done.stdout.startswith("-----BEGIN SSH SIGNATURE-----"):
        raise VerificationError(
            f"the key does not sign: {_said(done)}",
            where=str(key),
            remedy="name a private key, or run ssh-agent",
        )
    return done.stdout


def signer(text: str, signature: Path, allowed: Path | None) -> str:
    """Who signed a text, in words; by the file of allowed signers, whoever holds the key without one.

    Args:
        text: that is signed.
        signature: its file.
        allowed: lines of names and public keys, as ssh-keygen has them; None where nobody is known.

    Raises:
        ToolchainError: there is no ssh-keygen.
        VerificationError: the signature does not fit, or is by nobody who may sign.
    """
    where = str(signature)
    if allowed is None:
        done = _run(["-Y", "check-novalidate", "-n", NAMESPACE, "-s", where], text)
        if done.returncode:
            raise _misfit(done, where)
        return f"by the key {done.stdout.strip().rpartition(' ')[2]}, whose is not known without `allowed_signers`"
    if not allowed.is_file():
        raise VerificationError(
            "there is no such file of allowed signers", where=str(allowed), remedy="write a line: NAME ssh-ed25519 KEY"
        )
    found = _run(["-Y", "find-principals", "-f", str(allowed), "-s", where], text)
    names = found.stdout.splitlines()
    if found.returncode or not names:
        raise VerificationError(
            f"it is signed by a key that is nobody's in {allowed}",
            where=where,
            remedy="ask for the certificate from where it should come, or add the key if you trust it",
        )
    done = _run(["-Y", "verify", "-f", str(allowed), "-I", names[0], "-n", NAMESPACE, "-s", where], text)
    if done.returncode:
        raise _misfit(done, where)
    return f"by {names[0]}"


def _misfit(done: subprocess.CompletedProcess[str], where: str) -> VerificationError:
    return VerificationError(
        f"the signature does not fit the certificate: {_said(done)}",
        where=where,
        remedy="one of the two was changed or exchanged; ask for both again",
    )


def _run(arguments: list[str], text: str) -> subprocess.CompletedProcess[str]:
    """ssh-keygen with a text on its standard input."""
    try:
        return subprocess.run(
            [PROGRAM, *arguments], input=text, capture_output=True, encoding="utf-8", errors="replace", check=False
        )
    except FileNotFoundError:
        raise ToolchainError(
            f"no program {PROGRAM}", remedy="install it (Debian and Ubuntu: apt install openssh-client)"
        ) from None


def _said(done: subprocess.CompletedProcess[str]) -> str:
    return next(iter(filter(None, (done.stderr or done.stdout).strip().splitlines())), "it says nothing")
