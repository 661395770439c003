"""Modules under names that also occur inside of their functions, and what such a name could hide."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from mbsym.codegen.description import ModuleDescription
from mbsym.codegen.languages import LANGUAGES
from mbsym.codegen.lowered_module import lower_module
from mbsym.embedded.beside import self_test_beside
from mbsym.kinematics.mechanism import Mechanism
from mbsym.pipeline import GenerationOptions, derive, describe, express, read
from mbsym.registry import contracts_of

NEUTRAL: Final = "zqz"
"""A name that occurs in no function."""

FLAGS: Final = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-fsyntax-only")

_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)


def described(model: str, options: GenerationOptions) -> tuple[ModuleDescription, Mechanism]:
    """A module of a bundled example, derived."""
    derivation = derive(express(read(model), options), options)
    return describe(derivation, options), derivation.mechanism


def texts(description: ModuleDescription, mechanism: Mechanism, name: str, beside: Sequence[str]) -> Mapping[str, str]:
    """The C files of the module under a name."""
    named = replace(description, prefix=name)
    module = lower_module(named)
    languages = ["c", *["batch"] * bool(description.batch)]
    files = [file for language in languages for file in LANGUAGES.named(language).render(module)]
    files += self_test_beside(named, mechanism, contracts_of(mechanism))[0] if "self_test" in beside else ()
    return {file.name: file.text for file in files}


def words(text: str) -> Counter[str]:
    """How often each identifier occurs outside of comments."""
    return Counter(_WORD.findall(_COMMENT.sub("", text)))


def rivals(neutral: Mapping[str, str]) -> list[str]:
    """Names under which something outside of functions would be called like something inside of them.

    Args:
        neutral: texts of the module under the neutral name.
    """
    every = [word for text in neutral.values() for word in words(text)]
    own = {word.removeprefix(f"{NEUTRAL}_") for word in every if word.startswith(f"{NEUTRAL}_")}
    inside = {word for word in every if NEUTRAL not in word}
    found = {inner.removesuffix(f"_{outer}") for inner in inside for outer in own if inner.endswith(f"_{outer}")}
    return sorted(found)


def mixed_up(neutral: Mapping[str, str], named: Mapping[str, str], name: str) -> list[str]:
    """Symbols of the named module that occur more often than under the neutral name: something else is called so."""
    found = []
    for one, other in zip(neutral.values(), named.values(), strict=True):
        counts = words(other)
        for word, count in words(one).items():
            twin = f"{name}_{word.removeprefix(f'{NEUTRAL}_')}"
            # The interface has another hash under another name.
            if word.startswith(f"{NEUTRAL}_") and counts[twin] != count and "_interface_" not in word:
                found.append(twin)
    return sorted(set(found))
