"""Errors and warnings in the words of the command line: lower floors name a thing, here it is an option."""

from __future__ import annotations

from mbsym.option import Option, as_typed


def spoken(text: str) -> str:
    """A sentence with the options that it speaks of as they are typed."""
    if "`" not in text:
        return text
    from mbsym.options.generation import OPTIONS

    return as_typed(text, (*OPTIONS.values(), *OTHERS))


OTHERS = tuple(
    Option(name=name, default="", sentence="", flags=(flag,))
    for name, flag in (("settings", "set"), ("wrench_inputs", "wrench-input"), ("compilers", "compiler"))
)
"""What is called otherwise on the command line and is no option of a generation."""
