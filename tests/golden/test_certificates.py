"""The certificates beside the exemplars belong to the files that stand there."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

GENERATED = Path(__file__).resolve().parents[2] / "generated"
EXEMPLARS = sorted(path.name for path in GENERATED.iterdir() if path.is_dir())


def test_there_are_exemplars() -> None:
    assert {"double_pendulum", "puma560"} <= set(EXEMPLARS)


@pytest.mark.parametrize("name", EXEMPLARS)
def test_certificate_is_of_these_files(name: str) -> None:
    directory = GENERATED / name
    certificate = json.loads((directory / f"{name}.certificate.json").read_text(encoding="utf-8"))
    assert certificate["passed"] and certificate["checks"]
    assert set(certificate["files"]) == {f"{name}.{suffix}" for suffix in ("c", "h", "py", "json")}
    for file, digest in certificate["files"].items():
        assert sha256((directory / file).read_bytes()).hexdigest() == digest, f"verify generated/{name} again"
