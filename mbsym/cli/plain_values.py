"""Arguments of the command line that are what they should be, taken as they are.

Typer asks pydantic about every value, and loading pydantic takes longer than deriving the equations of an arm. What is
a text, a truth value, a plain number within its bounds or a path that can be read needs nobody's opinion; of all else,
and with versions of Typer that know no pydantic, Typer decides.
"""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import Any, Final

from mbsym.cli.in_unit import InUnit

_NUMBERS: Final = {
    int: re.compile(r"[+-]?[0-9]{1,15}", re.ASCII),
    float: re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]*)?([eE][+-]?[0-9]{1,2})?", re.ASCII),
}
"""Texts that mean the same number to everybody."""

_DEMANDS: Final = ("allow_dash", "clamp", "click_type", "exists", "parser", "path_type", "resolve_path", "writable")
"""What a parameter may demand of its values beyond their type."""

_ASKED: Final = object()


def taken_plainly(parameter: Any) -> Any:
    """A parameter of a command, asking for an opinion only where one is needed."""
    opinion = getattr(parameter, "get_runtime_param", None)
    if opinion is not None and hasattr(parameter, "type_descriptor") and "get_runtime_param" not in vars(parameter):
        parameter.get_runtime_param = partial(_Plain, opinion)
    return parameter


class _Plain:
    """What Typer calls to have a value coerced."""

    __slots__ = ("_opinion",)

    def __init__(self, opinion: Any) -> None:
        self._opinion = opinion

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value in the type of its parameter."""
        about = param.type_descriptor
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if about.annotation == list[str] and param.multiple and isinstance(value, (list, tuple)):
            found: Any = list(value) if all(isinstance(item, str) for item in value) else _ASKED
        else:
            found = _plain(value, about.annotation, about.parameter_info)
        return self._opinion().coerce(value, param=param, ctx=ctx) if found is _ASKED else found


def _plain(value: Any, kind: Any, info: Any) -> Any:
    """The value, or ``_ASKED`` where it is not plain."""
    parser = getattr(info, "parser", None)
    if any(getattr(info, name, None) for name in _DEMANDS) and not isinstance(parser, InUnit):
        return _ASKED
    if kind is str or kind is bool:
        return value if type(value) is kind else _ASKED
    if kind in _NUMBERS:
        return _plain_number(value, kind, info)
    if kind is Path and isinstance(value, (str, Path)) and info.file_okay and info.dir_okay:
        return Path(value) if os.access(value, os.R_OK) or not os.path.lexists(value) else _ASKED
    return _ASKED


def _plain_number(value: Any, kind: Any, info: Any) -> Any:
    if isinstance(value, str) and _NUMBERS[kind].fullmatch(value):
        value = kind(value)
    within = type(value) is kind and (info.min is None or value >= info.min) and (info.max is None or value <= info.max)
    return value if within else _ASKED
