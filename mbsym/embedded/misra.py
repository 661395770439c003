"""Rules of MISRA C:2023, which holds those of MISRA C:2012: what is known of each for generated code, and deviations.

Numbers and categories are facts of the standard; its texts stay there. What a rule is about is said here in our words
only where generated code departs from it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mbsym.codegen.build import runs
from mbsym.codegen.description import GeneratedFile
from mbsym.embedded.stack import run_at

CATEGORIES: Final = {"m": "mandatory", "r": "required", "a": "advisory"}

_GUIDELINES: Final = """
D1.1r D2.1r D3.1r D4.1r D4.2a D4.3r D4.4a D4.5a D4.6a D4.7r D4.8a D4.9a D4.10r D4.11r D4.12r D4.13a D4.14r+ D4.15r+
D5.1r+ D5.2r+ D5.3r+
1.1r 1.2a 1.3r 1.4r+ 1.5r+ 2.1r 2.2r 2.3a 2.4a 2.5a 2.6a 2.7a 2.8a+ 3.1r 3.2r 4.1r 4.2a
5.1r 5.2r 5.3r 5.4r 5.5r 5.6r 5.7r 5.8r 5.9a 6.1r 6.2r 6.3r+ 7.1r 7.2r 7.3r 7.4r 7.5r+ 7.6r+
8.1r 8.2r 8.3r 8.4r 8.5r 8.6r 8.7a 8.8r 8.9a 8.10r 8.11a 8.12r 8.13a 8.14r 8.15r+ 8.16a+ 8.17a+
9.1m 9.2r 9.3r 9.4r 9.5r 9.6r+ 9.7m+ 10.1r 10.2r 10.3r 10.4r 10.5a 10.6r 10.7r 10.8r
11.1r 11.2r 11.3r 11.4a 11.5a 11.6r 11.7r 11.8r 11.9r 11.10r+ 12.1a 12.2r 12.3a 12.4a 12.5m+ 12.6r+
13.1r 13.2r 13.3a 13.4a 13.5r 13.6r 14.1r 14.2r 14.3r 14.4r 15.1a 15.2r 15.3r 15.4a 15.5a 15.6r 15.7r
16.1r 16.2r 16.3r 16.4r 16.5r 16.6r 16.7r
17.1r 17.2r 17.3m 17.4m 17.5r 17.6m 17.7r 17.8a 17.9m+ 17.10r+ 17.11a+ 17.12a+ 17.13r+
18.1r 18.2r 18.3r 18.4a 18.5a 18.6r 18.7r 18.8r 18.9r+ 18.10m+ 19.1m 19.2a
20.1a 20.2r 20.3r 20.4r 20.5a 20.6r 20.7r 20.8r 20.9r 20.10a 20.11r 20.12r 20.13r 20.14r
21.1r 21.2r 21.3r 21.4r 21.5r 21.6r 21.7r 21.8r 21.9r 21.10r 21.11a 21.12a 21.13m+ 21.14r+ 21.15r+ 21.16r+ 21.17m+
21.18m+ 21.19m+ 21.20m+ 21.21r+ 21.22m+ 21.23r+ 21.24r+ 21.25r+ 21.26r+
22.1r 22.2m 22.3r 22.4m 22.5m 22.6m 22.7r+ 22.8r+ 22.9r+ 22.10r+ 22.11r+ 22.12m+ 22.13r+ 22.14m+ 22.15r+ 22.16r+
22.17r+ 22.18r+ 22.19r+ 22.20m+ 23.1a+ 23.2r+ 23.3a+ 23.4r+ 23.5a+ 23.6r+ 23.7a+ 23.8r+
"""
"""Directives (D) and rules with their category in MISRA C:2023; + is on those that amendments added to MISRA C:2012."""

FORMER: Final[Mapping[str, str]] = {"17.5": "advisory", "21.11": "required"}
"""Categories of MISRA C:2012 where they were others."""


@dataclass(frozen=True, slots=True)
class Guideline:
    """A directive, whose number begins with D, or a rule.

    Attributes:
        number, category: as MISRA C:2023 has them.
        former: category in MISRA C:2012, "" where an amendment added it.
    """

    number: str
    category: str
    former: str


def _guideline(word: str) -> Guideline:
    plain = word.rstrip("+")
    number, category = plain[:-1], CATEGORIES[plain[-1]]
    return Guideline(number, category, "" if word.endswith("+") else FORMER.get(number, category))


GUIDELINES: Final = tuple(map(_guideline, _GUIDELINES.split()))


@dataclass(frozen=True, slots=True)
class Deviation:
    """Why generated code departs from a rule, and why that does no harm.

    Attributes:
        reason, harmless: in words.
        shown_by: regular expression of words of sources (see ``CSource``), one of which shows what it speaks of;
            without one the checker alone tells whether code departs.
    """

    reason: str
    harmless: str
    shown_by: str = ""

    def speaks_of(self, words: frozenset[str]) -> bool:
        """True where sources have what it speaks of."""
        return not self.shown_by or any(re.fullmatch(self.shown_by, word) for word in words)


EXTENSIONS: Final = r"__attribute__|__builtin_\w+|__typeof__|__has_builtin"
"""Words of sources that are beyond the standard, with which rule 1.2 is departed from."""

DEVIATIONS: Final[Mapping[str, tuple[Deviation, ...]]] = {
    "1.2": (
        Deviation(
            "vectors, and what mixes their lanes, are extensions of GCC and Clang",
            "each stands under a condition of the preprocessor, which other compilers pass by",
            EXTENSIONS,
        ),
    ),
    "D4.6": (
        Deviation(
            "counts and statuses are `int`, real numbers a type of the module's own",
            "counts fit into 16 bits, statuses are below 32",
            "int",
        ),
    ),
    "2.2": (
        Deviation(
            "places are computed as they are everywhere, where an array begins and where a vector has one number too",
            "a summand 0 and a factor 1 change no place",
        ),
    ),
    "2.4": (
        Deviation(
            "enumerations of constants need no tag",
            "a name that nobody uses; cppcheck counts enumerations without one",
            "enum",
        ),
    ),
    "2.5": (
        Deviation(
            "the initialiser of the parameters is for users",
            "a macro of the header that no object holds",
            r"#define \w+_default_parameters.*",
        ),
        Deviation(
            "macros of vectors are defined in each of several conditions of the preprocessor",
            "one condition holds, and no object has a macro",
            r"#define \w+_INLINE",
        ),
    ),
    "5.6": (
        Deviation(
            "the file for many states has types of vectors of its own under the same names",
            "both are seen in their files only, and no object has them",
            r"\w+_angles",
        ),
    ),
    "5.9": (
        Deviation(
            "the file for many states has a loop of sines and cosines of its own under the same name",
            "both are static, of the same text, and in different files",
            r"\w+_sincos",
        ),
        Deviation(
            "limits stand in the header, so that each file that includes it has them",
            "they are static and constant",
            r"\w+_(limit|lower|upper)",
        ),
    ),
    "8.7": (
        Deviation("functions that others call are offered to users too", "their symbols begin with the module's name"),
    ),
    "8.14": (
        Deviation(
            "results are `restrict`: none shares memory with another array",
            "the header says so of every function; arrays that overlap are a caller's mistake",
            "restrict",
        ),
    ),
    "9.2": (
        Deviation(
            "cppcheck takes the initialiser of an array of vectors, a macro with braces, for one without",
            "the macro has a pair of braces for each vector",
            r"\w+_FOUR\(\)",
        ),
    ),
    "9.3": (
        Deviation(
            "arrays of angles are as long as vectors are, the rest is zero",
            "sines of the rest are computed and not read",
            r"\w+_angles",
        ),
    ),
    "10.3": (
        Deviation(
            "what a comparison gives lane by lane has a type that the compiler chooses",
            "it is combined bit by bit with others of that type, and asked for none or all",
            r"\w+_lanes_mask",
        ),
    ),
    "10.4": (
        Deviation(
            "statuses are `int`, their names an enumeration",
            "enumerators are of type `int` and compared with such",
            "status",
        ),
    ),
    "11.3": (
        Deviation(
            "lanes of a vector are read and written as the numbers that they are",
            "a vector has the size and alignment of its numbers, or more",
            r"\w+_lanes",
        ),
    ),
    "12.1": (
        Deviation("products before sums, as mathematics has it, need no parentheses", "no other operators are mixed"),
    ),
    "15.5": (Deviation("what is refused or done returns at once", "nothing is held that would have to be given back"),),
    "15.6": (
        Deviation(
            "cppcheck takes the line of OpenMP before a loop for the loop's head",
            "the loop's body has its braces",
            "#pragma omp .*",
        ),
    ),
    "15.7": (Deviation("in no other case there is something to do", "the last condition stands alone on purpose"),),
    "18.4": (
        Deviation(
            "what a body has of an array is passed as a pointer to its place in it",
            "places are constants of the text, made together with the lengths of the arrays",
            r"places_\d+|memory",
        ),
    ),
    "20.5": (
        Deviation(
            "macros of fixed parts end with these", "each is defined and taken back in the same file", "#undef .*"
        ),
    ),
    "20.9": (
        Deviation(
            "FLT_EVAL_METHOD is of the standard's float.h, which cppcheck does not read",
            "it is included",
            "#if .*FLT_EVAL_METHOD.*",
        ),
    ),
    "21.15": (
        Deviation(
            "bits are copied between real numbers, integers and vectors of these",
            "sizes are those of the objects, and the representation is that of IEEE 754",
            r"memcpy\(\)",
        ),
    ),
}
"""By number; each speaks where sources have what it speaks of, and findings of others are mistakes of the generator."""

NOT_USED: Final[Mapping[str, tuple[str, str]]] = {
    "assembly": ("D4.3", r"asm|__asm\w*"),
    "dynamic memory": ("D4.12 21.3 22.1 22.2", r"(malloc|calloc|realloc|free|alloca)\(\)|#include <stdlib\.h>"),
    "streams": ("D4.13 21.6 22.3 22.4 22.5 22.6 22.7", r"FILE|EOF|(f?printf|f?scanf|fopen)\(\)|#include <stdio\.h>"),
    "threads and atomic types": (
        "D5.2 D5.3 9.7 11.10 12.6 21.25 21.26 22.11 22.12 22.13 22.14 22.15 22.16 22.17 22.18 22.19 22.20",
        r"_Atomic|_Thread_local|#include <(threads|stdatomic)\.h>",
    ),
    "bit-fields and unions": ("6.1 6.2 6.3 19.1 19.2", "union|:n"),
    "alignment": ("8.15 8.16 8.17", "_Alignas|alignas"),
    "goto": ("15.1 15.2 15.3 15.4", "goto"),
    "variable arguments": ("17.1", r"va_\w+|#include <stdarg\.h>"),
    "functions without return": ("17.9 17.10 17.11", "_Noreturn|noreturn"),
    "functions as values": ("11.1 17.12 17.13", r"\(\*\)\(\)"),
    "jumps across functions": ("21.4", r"(setjmp|longjmp)\(\)|#include <setjmp\.h>"),
    "signals": ("21.5", r"(signal|raise)\(\)|#include <signal\.h>"),
    "the general library": (
        "21.7 21.8 21.9 21.21 21.24",
        r"(ato[fil]|exit|abort|getenv|system|bsearch|qsort|s?rand)\(\)|#include <stdlib\.h>",
    ),
    "time and locale": ("21.10 21.19 21.20", r"(time|localeconv|setlocale)\(\)|#include <(time|locale)\.h>"),
    "mathematics for all types": ("21.11 21.22 21.23", r"#include <(tgmath|complex)\.h>"),
    "floating-point exceptions": ("21.12", r"#include <fenv\.h>"),
    "characters and strings": (
        "21.13 21.14 21.17",
        r"(str\w+|is(alpha|digit|space))\(\)|#include <ctype\.h>",
    ),
    "errno": ("22.8 22.9 22.10", "errno"),
    "selections by type": ("23.1 23.2 23.3 23.4 23.5 23.6 23.7 23.8", "_Generic"),
}
"""What generated code has no use for: rules about it, and words of sources of which one would show it."""

COMPILED: Final = ("D2.1", "1.1", "17.3", "17.4")
"""Decided by a compiler that has nothing to say with all warnings of the standard."""

_CHECKED: Final = """
1.4 2.2 2.3 2.4 2.5 2.7 3.1 3.2 4.1 4.2 5.1 5.2 5.4 5.5 5.6 5.7 5.8 5.9 6.1 6.2 7.1 7.2 7.3 7.4 8.1 8.2 8.4 8.5
8.6 8.7 8.8 8.9 8.10 8.11 8.12 8.14 9.2 9.3 9.4 9.5 10.1 10.2 10.3 10.4 10.5 10.6 10.7 10.8 11.1 11.2 11.3 11.4
11.5 11.6 11.7 11.8 11.9 12.1 12.2 12.3 12.4 13.1 13.3 13.4 13.5 13.6 14.1 14.2 14.4 15.1 15.2 15.3 15.4 15.5
15.6 15.7 16.1 16.2 16.3 16.4 16.5 16.6 16.7 17.1 17.2 17.3 17.6 17.7 17.8 18.4 18.5 18.7 18.8 19.2 20.1 20.2
20.3 20.4 20.5 20.7 20.8 20.9 20.10 20.11 20.12 20.13 20.14 21.1 21.2 21.3 21.4 21.5 21.6 21.7 21.8 21.9 21.10
21.11 21.12 21.14 21.15 21.16 21.19 21.20 21.21 22.5 22.7 22.8 22.9 22.10
"""
CHECKED: Final = frozenset(_CHECKED.split())
"""Rules at which the addon of cppcheck 2.10 looks."""

LARGEST_CHECKED: Final = 300_000
"""Bytes of a source above which cppcheck takes minutes."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a checker found.

    Attributes:
        checker: first line of its version, "" where none was at hand.
        counts: findings by rule.
        reason: why there are none, where there was no check.
    """

    checker: str = ""
    counts: Mapping[str, int] | None = None
    reason: str = ""


def check(files: Sequence[GeneratedFile]) -> Findings:
    """Findings of cppcheck with its addon in C files, headers among them."""
    if not runs("cppcheck"):
        return Findings(reason="cppcheck is not installed")
    version = run_at(Path.cwd(), ("cppcheck", "--version")).stdout.strip()
    sources = [file for file in files if file.name.endswith(".c")]
    if any(len(file.text) > LARGEST_CHECKED for file in sources):
        return Findings(version, None, f"a source is above {LARGEST_CHECKED // 1000} kB, at which cppcheck takes long")
    with TemporaryDirectory(prefix="mbsym") as scratch:
        for file in files:
            (Path(scratch) / file.name).write_text(file.text, encoding="utf-8")
        options = ("--addon=misra", "--std=c99", "--enable=style", "--quiet", "--template={id} {file}:{line}:{column}")
        done = run_at(Path(scratch), ("cppcheck", *options, *(file.name for file in sources)))
    if done.returncode:
        return Findings(version, None, "cppcheck did not come to an end")
    return Findings(version, Counter(re.findall(r"^misra-c2012-([\d.]+) ", done.stderr, re.MULTILINE)))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a guideline for a module.

    Attributes:
        guideline: which.
        status: "deviation", "finding" (none is allowed), "not used", "compiled", "no findings", or "open".
        basis: why, in a few words.
        findings: how many a checker has, None where none looked.
        harmless: of deviations, why they do no harm.
    """

    guideline: Guideline
    status: str
    basis: str
    findings: int | None
    harmless: str = ""


def verdicts(
    words: frozenset[str], found: Findings, compiler: str, recursive: Sequence[str], changing: Sequence[str]
) -> tuple[Verdict, ...]:
    """What is known of each guideline.

    Args:
        words: of the sources, see ``CSource``.
        found: by a checker.
        compiler: that had nothing to say, "" where there was none.
        recursive: functions that call themselves.
        changing: variables that are kept and change.
    """
    unused = {
        rule: f"no {feature}"
        for feature, (rules, pattern) in NOT_USED.items()
        if not any(re.fullmatch(f"(?:{pattern})", word) for word in words)
        for rule in rules.split()
    }
    if not recursive:
        unused["17.2"] = "no function calls itself"
    if not changing:
        unused["D5.1"] = "no data that changes"
    if not any(re.fullmatch(EXTENSIONS, word) for word in words):
        unused["1.2"] = "no word of an extension"
    records = {
        number: tuple(record for record in several if record.speaks_of(words)) for number, several in DEVIATIONS.items()
    }
    return tuple(_verdict(guideline, unused, records, found, compiler) for guideline in GUIDELINES)


def _verdict(
    guideline: Guideline,
    unused: Mapping[str, str],
    records: Mapping[str, tuple[Deviation, ...]],
    found: Findings,
    compiler: str,
) -> Verdict:
    number = guideline.number
    looked = found.counts is not None and number in CHECKED
    count = (found.counts or {}).get(number, 0) if looked else None
    own = records.get(number, ())
    # Where nobody counted, the text must show what a record speaks of.
    if own and (count or (count is None and all(record.shown_by for record in own))):
        reason, harmless = ("; ".join(getattr(record, key) for record in own) for key in ("reason", "harmless"))
        return Verdict(guideline, "deviation", reason, count, harmless)
    if count:
        return Verdict(guideline, "finding", found.checker, count)
    if number in unused:
        return Verdict(guideline, "not used", unused[number], count)
    if compiler and number in COMPILED:
        return Verdict(guideline, "compiled", compiler, count)
    if looked:
        return Verdict(guideline, "no findings", found.checker, count)
    return Verdict(guideline, "open", "to be looked at with the product", None)
