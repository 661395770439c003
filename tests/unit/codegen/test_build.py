"""The compiler's command is read before it is run."""

from __future__ import annotations

import pytest

from mbsym.codegen.build import find_compiler
from mbsym.errors import ToolchainError


def test_a_command_with_an_open_quotation_mark_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc \"x'")
    with pytest.raises(ToolchainError, match="cannot be read: no closing quotation; close its quotation marks"):
        find_compiler()


def test_a_command_of_blanks_is_no_compiler() -> None:
    with pytest.raises(ToolchainError, match="no C compiler ' '"):
        find_compiler(" ")
