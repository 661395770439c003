"""Shares of the further examples, of which each commit's check runs one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mechanisms.examples import further
from mechanisms.shares import Share

ROOT = Path(__file__).resolve().parents[2]
OWN = "tests/unit/test_shares.py"
COUNTS = range(1, 9)


@pytest.mark.parametrize("count", [3, *further(*(count for count in COUNTS if count != 3))])
def test_each_name_is_in_one_share_and_shares_are_alike(count: int) -> None:
    names = [f"tests/unit/test_names.py::test_name[{number}]" for number in range(1000 * count)]
    shares = [{name for name in names if name in Share(k, count)} for k in range(count)]
    assert sum(map(len, shares)) == len(set().union(*shares)) == len(names)
    # As of so many throws: the deviation of a share's size is the root of a thousand at most.
    assert all(800 < len(share) < 1200 for share in shares)


def test_a_share_is_the_same_in_every_process() -> None:
    assert [name for name in ("a", "b", "c", "d", "e", "f") if name in Share(1, 2)] == ["a", "b", "c"]


def test_what_is_written_is_read() -> None:
    assert Share.read("0/1") == Share(0, 1) and Share.read("2/3") == Share(2, 3)


@pytest.mark.parametrize("text", ["", "1", "3/3", "-1/3", "0/0", "1/3 ", "a/b", "1/2/3", "\u0661/3"])
def test_others_are_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no share of the further examples; give k/n with k from 0 to n - 1"):
        Share.read(text)


def collected(share: str) -> subprocess.CompletedProcess[str]:
    """What pytest says of the tests in this file, further examples and others."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, "-m", "more or not more", OWN],
        cwd=ROOT,
        env={**os.environ, "MBSYM_SHARE": share},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_share_of_the_further_examples_runs_with_all_others() -> None:
    name = f"{OWN}::test_each_name_is_in_one_share_and_shares_are_alike"
    examples = [f"{name}[{count}]" for count in COUNTS]
    kept = [each for each in examples if each in Share(1, 2) or each == f"{name}[3]"]
    found = collected("1/2").stdout
    assert [line for line in found.splitlines() if line in examples] == sorted(kept, key=lambda each: "[3]" not in each)
    assert 1 < len(kept) < len(examples) and f"({len(examples) - len(kept)} deselected)" in found
    assert f"{OWN}::test_what_is_written_is_read" in found


def test_what_is_no_share_ends_the_run_before_it_starts() -> None:
    refused = collected("2/2")
    assert refused.returncode == pytest.ExitCode.USAGE_ERROR and refused.stdout == ""
    assert refused.stderr.startswith("ERROR: MBSYM_SHARE=2/2 is no share of the further examples; give k/n")
