"""URDF written in xacro, a macro language, expanded by the package of that name."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mbsym.doors import optional
from mbsym.errors import FormatError
from mbsym.formats.text_source import LARGEST_XML, TextSource, read_text

SUFFIX: Final = ".xacro"


def expanded(path: str | Path) -> TextSource:
    """The URDF that a file in xacro stands for; places in it are those of what the package made.

    Raises:
        FormatError: the file cannot be read, or the package refuses it.
        ToolchainError: the package is not installed.
    """
    read_text(path, LARGEST_XML)
    xacro = optional("xacro", f"{path} is written in xacro, which the package xacro expands", "xacro")
    try:
        text = xacro.process_file(str(path)).toprettyxml(indent=" ")
    except Exception as error:  # of the package's own kinds, of the expressions in the file, of files that it includes
        words = " ".join(str(error).split()) or type(error).__name__
        remedy = "check the file, or expand it where the packages are that it names"
        raise FormatError(f"xacro cannot expand it: {words}", where=f"{path}:1:1", remedy=remedy) from None
    return TextSource(f"{path} (expanded)", text)
