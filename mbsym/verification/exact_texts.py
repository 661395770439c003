"""What ``verify --exact`` shows: the texts of a directory read back, each function proven in a finite field or named.

The texts are read as they stand, whatever the manifest says of them. Numbers that were rounded when they were printed
stand for the exact ones of the model's own derivation, if these round to what is printed: such a number is a witness,
not trusted further than that. What the field does not prove (what iterates, compares or moves memory) is compared with
what this version writes for the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np

from mbsym.codegen.expressions import Constant
from mbsym.codegen.interface import print_files
from mbsym.derivatives.of_functions import requests_of
from mbsym.errors import TextError
from mbsym.exact.following import Literal, Signature, Spoken
from mbsym.exact.proof import Prover, Verdict
from mbsym.model.system import Model
from mbsym.texts.c_reader import read_c
from mbsym.texts.python_reader import AS_CALLED, Module, read_python
from mbsym.texts.representation import Function, If, Number, Operation, Text, While
from mbsym.verification.anew import MADE_FOR_OTHERS, Anew, derived_anew
from mbsym.version import __version__

COMPILERS: Final[Mapping[str, Mapping[str, str]]] = {
    "c": {},
    "c, vectors of SSE2": {"__GNUC__": "12", "__SSE2__": "1"},
    "c, vectors of AVX": {"__GNUC__": "12", "__SSE2__": "1", "__AVX__": "1"},
    "c, vectors of AVX-512": {"__GNUC__": "12", "__SSE2__": "1", "__AVX__": "1", "__AVX512F__": "1"},
}
"""What compilers define, as far as texts ask for it; the first is any C99 compiler."""

DIFFERENT: Final = "it is not what this version writes for the model"


@dataclass(frozen=True, slots=True)
class Readable:
    """A text in one of the ways in which it is compiled.

    Attributes:
        spoken: as the prover follows it.
        unread: definitions that were not read, in one spelling.
    """

    spoken: Spoken
    unread: Mapping[str, str]


def exact_verdicts(directory: Path, manifest: Mapping[str, Any], model: Model) -> tuple[Verdict, ...]:
    """What is shown of every function of every text of a module.

    Raises:
        MbsymError: the model cannot be derived again.
    """
    anew = derived_anew(model, manifest)
    name = manifest["name"]
    languages = [each for each, file in _FILES.items() if (directory / f"{name}{file}").is_file()]
    fresh = {file.name: file.text for file in print_files(anew.module, languages)}
    found = {path.name: path.read_text(encoding="utf-8") for path in directory.iterdir() if path.name in fresh}
    signatures = _signatures(anew)
    prover = Prover(
        model=model,
        labelling=model.label(order=manifest.get("order", "weight")),
        symbolic=tuple(parameter.name for parameter in anew.module.parameters),
        signatures=signatures,
        literal=_literals(anew),
        requests={each.name: (each.function, each.names) for each in requests_of(manifest)},
        makers={signatures[each].outputs[0][0]: signatures[each] for each in MADE_FOR_OTHERS if each in signatures},
    )
    verdicts: list[Verdict] = []
    same_version = manifest.get("mbsym") == __version__
    for language in languages:
        verdicts += _of_language(prover, name, language, found, fresh, same_version)
    if not same_version:
        why = f"mbsym {manifest.get('mbsym')} wrote it: what is not proven was not compared with what this one writes"
        verdicts.append(Verdict(name, "all texts", "not proven", why))
    return tuple(verdicts)


_FILES: Final = {"c": ".c", "numpy": ".py", "batch": "_batch.c", "javascript": ".mjs"}
"""The file by which a language is in a directory."""
_READ: Final = ("c", "numpy", "batch")


def _of_language(
    prover: Prover, name: str, language: str, found: Mapping[str, str], fresh: Mapping[str, str], same_version: bool
) -> Iterator[Verdict]:
    if language not in _READ:
        same = found == {**found, **{file: text for file, text in fresh.items() if file.endswith(_FILES[language])}}
        why = f"{language} is not read back" if same or not same_version else DIFFERENT
        yield Verdict("", language, "not proven" if same or not same_version else "differs", why)
        return
    seen: list[tuple[Mapping[str, Function], Mapping[str, Function]]] = []
    file = f"{name}{_FILES[language]}"
    asks = any("__GNUC__" in text for text in (found.get(file, ""), fresh[file]))
    for title in COMPILERS if asks else (next(iter(COMPILERS)) if language == "batch" else language,):
        if language == "batch":
            title = title.replace("c", "batch", 1)
        try:
            own = _read(name, language, title, found)
        except TextError as error:
            yield Verdict("", title, "differs", f"it cannot be read: {error}")
            return
        other = _read(name, language, title, fresh)
        left = _differences(own, other) if same_version else {}
        functions = own.spoken.text.functions, other.spoken.text.functions
        if functions not in seen:
            yield from _of_text(prover, own, other, left)
        else:
            # Functions are those that other compilers take, and were judged; what else there is may be another.
            rest = (each for each in left if each not in {*functions[0], *functions[1]})
            yield from (Verdict(each, title, "differs", left[each]) for each in rest)
        seen.append(functions)


def _of_text(prover: Prover, own: Readable, fresh: Readable, left: Mapping[str, str]) -> Iterator[Verdict]:
    """Each function of a text, and what else of it is not as it is written."""
    spoken, text, others = own.spoken, own.spoken.text, fresh.spoken.text.functions
    told: set[str] = set()
    for function in prover.signatures:
        verdict = prover.verdict(spoken, function)
        symbol = spoken.symbol(function)
        edited = sorted({*_reached(text, symbol), function, f"{symbol}{AS_CALLED}"} & left.keys())
        told |= {*edited}
        branching = [each for each in edited if not _is_straight(text.functions.get(each), others.get(each))]
        if edited and (verdict.outcome in ("not proven", "agrees") or branching) and verdict.outcome != "differs":
            verdict = replace(verdict, outcome="differs", why=_of_edit(branching or edited, verdict))
        yield verdict
    for each, what in left.items():
        if each not in told:
            yield Verdict(each, spoken.title, "differs", what)


def _of_edit(names: Sequence[str], verdict: Verdict) -> str:
    """Why a function differs in which some definitions were edited."""
    own = f"; {verdict.why}" if verdict.outcome == "agrees" else ""
    return f"{', '.join(names)}: {DIFFERENT}{own}"


def _read(name: str, language: str, title: str, files: Mapping[str, str]) -> Readable:
    """A text of a module as it stands in some files."""
    if language == "numpy":
        module = read_python(files[f"{name}.py"])
        spoken = Spoken(
            title,
            module.text,
            lambda function: _public(module, function),
            returns=True,
            unread=frozenset(module.unread),
        )
        return Readable(spoken, module.unread)
    headers = {file: text for file, text in files.items() if file.endswith(".h")}
    defined = COMPILERS[title.replace("batch", "c", 1)]
    text = read_c(files[f"{name}{_FILES[language]}"], headers, defined)
    suffix = "_lanes" if language == "batch" else ""

    def symbol(function: str) -> str:
        """What is linked may bear the type's name too, by a macro of the header."""
        written = f"{name}_{function}"
        return f"{written if suffix else text.defined.get(written, written)}{suffix}"

    return Readable(Spoken(title, text, symbol, name, lanes=_lanes(text, f"{name}_lanes") if suffix else 0), {})


def _lanes(text: Text, kind: str) -> int:
    """How many states stand side by side in a text; 1 where its vectors are numbers."""
    base = text.types.get(kind, "real")
    return int(base.rpartition(" ")[2]) if base.startswith("vector") else 1


def _public(module: Module, function: str) -> str:
    """The public function of a name, which Python may spell with an underscore behind it."""
    return function if function in {*module.text.functions, *module.unread} else f"{function}_"


def _differences(own: Readable, fresh: Readable) -> dict[str, str]:
    """Definitions that a text has otherwise than it is written, by name, in words."""
    pairs = (
        (own.spoken.text.functions, fresh.spoken.text.functions),
        (own.spoken.text.constants, fresh.spoken.text.constants),
        (own.spoken.text.records, fresh.spoken.text.records),
        (own.spoken.text.types, fresh.spoken.text.types),
        (own.spoken.text.prototypes, fresh.spoken.text.prototypes),
        (own.spoken.text.defined, fresh.spoken.text.defined),
        (own.unread, fresh.unread),
    )
    found: dict[str, str] = {}
    # The hash of a header's text, comments among it, stands in the name of an object that says nothing else.
    of_header = re.compile(rf"{own.spoken.prefix}_interface(_[0-9a-f]+)?")
    for here, there in pairs:
        names = [name for name in dict.fromkeys([*here, *there]) if not of_header.fullmatch(name)]
        found |= {name: DIFFERENT for name in names if here.get(name) != there.get(name)}
    return found


def _reached(text: Text, symbol: str) -> Iterator[str]:
    """Names of a function, of all that it calls, and of constants that they name."""
    waiting, seen = [symbol], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        yield name
        if name in text.functions:
            waiting += _names(text.functions[name].body)


def _names(part: Any) -> Iterator[str]:
    if isinstance(part, tuple):
        for each in part:
            yield from _names(each)
    elif is_dataclass(part):
        for item in fields(part):
            value = getattr(part, item.name)
            if item.name in ("name", "function") and isinstance(value, str):
                yield value
            yield from _names(value)


def _is_straight(function: Function | None, other: Function | None) -> bool:
    """Whether nothing in a function is compared, and it is called as the other one: then its results say all of it."""

    def branches(part: Any) -> bool:
        if isinstance(part, tuple):
            return any(map(branches, part))
        if isinstance(part, (If, While)) or (isinstance(part, Operation) and part.operator == "choice"):
            return True
        if not is_dataclass(part) or isinstance(part, Number):
            return False
        return any(branches(getattr(part, item.name)) for item in fields(part))

    if function is None or other is None or function.arguments != other.arguments:
        return False
    return function.returns == other.returns and not branches(function.body)


# ---- what texts are held against -------------------------------------------------------------------------------------


def _signatures(anew: Anew) -> dict[str, Signature]:
    return {
        function.name: Signature(
            function.name,
            tuple((item.name, item.shape) for item in function.inputs),
            tuple((item.name, item.size) for item in function.outputs),
            anew.module.takes_parameters(function),
        )
        for function in anew.module.functions
    }


def _literals(anew: Anew) -> Literal:
    """The exact number of each literal: what the derivation rounded to it, else the decimal that stands there."""
    rounded = np.float32 if anew.single else np.float64
    exact: dict[float, Fraction] = {}
    for number in _constants(anew.module.functions, set()):
        key = float(rounded(float(abs(number))))
        if key not in exact or abs(number).denominator < exact[key].denominator:
            exact[key] = abs(number)
    return lambda literal: exact.get(float(rounded(float(literal.value))), literal.value)


def _constants(value: Any, seen: set[int]) -> Iterator[Fraction]:
    """All rational numbers in a tree of records."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Constant):
        if not isinstance(value.value, bool):
            yield Fraction(value.value)
    elif isinstance(value, Fraction):
        yield value
    elif isinstance(value, Mapping):
        yield from _constants(tuple(value.values()), seen)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from _constants(each, seen)
    elif is_dataclass(value):
        for item in fields(value):
            yield from _constants(getattr(value, item.name), seen)
