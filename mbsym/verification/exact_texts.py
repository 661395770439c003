"""What ``verify --exact`` shows: the texts of a directory read back, each function proven in a finite field or named.

The texts are read as they stand, whatever the manifest says of them. Numbers that were rounded when they were printed
stand for the exact ones of the model's own derivation, if these round to what is printed: such a number is a witness,
not trusted further than that. What the field does not prove (what iterates, compares or moves memory) is compared with
what this version writes for the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Final

from mbsym.codegen.interface import print_files
from mbsym.derivatives.of_functions import requests_of
from mbsym.errors import TextError
from mbsym.exact.following import Signature, Spoken, of_lanes
from mbsym.exact.proof import Prover, Verdict
from mbsym.model.system import Model
from mbsym.texts.c_reader import Before, read_c
from mbsym.texts.python_reader import AS_CALLED, Module, read_python
from mbsym.texts.representation import Function, If, Number, Operation, Text, While
from mbsym.verification.anew import MADE_FOR_OTHERS, Anew, derived_anew
from mbsym.verification.witnesses import Witnesses
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


def exact_verdicts(
    directory: Path, manifest: Mapping[str, Any], model: Model, note: Callable[[str], None] = lambda _: None
) -> tuple[Verdict, ...]:
    """What is shown of every function of every text of a module.

    Args:
        directory: with the texts.
        manifest: of the module.
        model: that it was generated from.
        note: told which text and function is about to be followed.

    Raises:
        MbsymError: the model cannot be derived again.
    """
    anew = derived_anew(model, manifest)
    name = manifest["name"]
    languages = [each for each, file in _FILES.items() if (directory / f"{name}{file}").is_file()]
    fresh = {file.name: file.text for file in print_files(anew.module, languages)}
    found = {path.name: path.read_text(encoding="utf-8") for path in directory.iterdir() if path.name in fresh}
    signatures, witnesses = _signatures(anew), Witnesses(anew, model.tables)
    marked: Mapping[str, str] = {}
    if witnesses.marks:
        module = replace(anew.module, functions=witnesses.functions)
        marked = {file.name: file.text for file in print_files(module, languages)}
    prover = Prover(
        model=model,
        labelling=model.label(order=manifest.get("order", "weight")),
        symbolic=tuple(parameter.name for parameter in anew.module.parameters),
        signatures=signatures,
        literal=witnesses,
        requests={each.name: (each.function, each.names) for each in requests_of(manifest)},
        makers={signatures[each].outputs[0][0]: signatures[each] for each in MADE_FOR_OTHERS if each in signatures},
    )
    texts = _Texts(name, found, fresh, marked, witnesses, manifest.get("mbsym") == __version__)
    verdicts = [verdict for language in languages for verdict in texts.verdicts(language, prover, note)]
    if not texts.same_version:
        why = f"mbsym {manifest.get('mbsym')} wrote it: what is not proven was not compared with what this one writes"
        verdicts.append(Verdict(name, "all texts", "not proven", why))
    return tuple(verdicts)


_FILES: Final = {"c": ".c", "numpy": ".py", "batch": "_batch.c", "javascript": ".mjs"}
"""The file by which a language is in a directory."""
_READ: Final = ("c", "numpy", "batch")


@dataclass(frozen=True, slots=True)
class _Texts:
    """Texts of a module by file.

    Attributes:
        name: of the module.
        found: as they are in its directory.
        fresh: as they are written for the model by this version.
        marked: likewise, with a mark in place of each number that witnesses have; none where they have none.
        witnesses: of numbers that were rounded.
        same_version: whether this version wrote what is found.
    """

    name: str
    found: Mapping[str, str]
    fresh: Mapping[str, str]
    marked: Mapping[str, str]
    witnesses: Witnesses
    same_version: bool

    def verdicts(self, language: str, prover: Prover, note: Callable[[str], None]) -> Iterator[Verdict]:
        """What is shown of each function, in each of the ways in which the language's text is compiled."""
        if language not in _READ:
            yield self._unread(language)
            return
        seen: list[tuple[Mapping[str, Function], Mapping[str, Function]]] = []
        before, judged = Before(), Judged(note)
        is_same = all(self.found.get(each) == text for each, text in self.fresh.items() if not each.endswith(".json"))
        file = f"{self.name}{_FILES[language]}"
        asks = any("__GNUC__" in text for text in (self.found.get(file, ""), self.fresh[file]))
        for title in COMPILERS if asks else (next(iter(COMPILERS)) if language == "batch" else language,):
            if language == "batch":
                title = title.replace("c", "batch", 1)
            try:
                own = _read(self.name, language, title, self.found, before)
            except TextError as error:
                yield Verdict("", title, "differs", f"it cannot be read: {error}")
                return
            other = own if is_same else _read(self.name, language, title, self.fresh, before)
            left = _differences(own, other) if self.same_version else {}
            functions = own.spoken.text.functions, other.spoken.text.functions
            if functions not in seen:
                if self.marked:
                    written = _read(self.name, language, title, self.marked, before).spoken.text
                    spoken = replace(own.spoken, text=self.witnesses.placed(own.spoken.text, written))
                    own = replace(own, spoken=spoken)
                yield from _of_text(prover, own, other, left, judged)
            else:
                # Functions are those that other compilers take, and were judged; what else there is may be another.
                rest = (each for each in left if each not in {*functions[0], *functions[1]})
                yield from (Verdict(each, title, "differs", left[each]) for each in rest)
            seen.append(functions)

    def _unread(self, language: str) -> Verdict:
        """What there is to say of a language that is not read back: whether its file is the one that is written."""
        files = {file: text for file, text in self.fresh.items() if file.endswith(_FILES[language])}
        if self.same_version and any(self.found.get(file) != text for file, text in files.items()):
            return Verdict("", language, "differs", DIFFERENT)
        return Verdict("", language, "not proven", f"{language} is not read back")


def _declared(text: Text) -> dict[str, Function]:
    """Functions as headers declare them."""
    return {f"{name}, as it is declared": each for name, each in text.prototypes.items()}


@dataclass(frozen=True, slots=True)
class Judged:
    """What was shown of functions as another kind of compiler takes the text.

    Attributes:
        note: told which text and function is about to be followed.
        names: that a function names, by the function's identity.
        verdicts: of functions by name, each with the definitions that it follows from.
    """

    note: Callable[[str], None]
    names: dict[int, tuple[Function, frozenset[str]]] = field(default_factory=dict)
    verdicts: dict[str, tuple[Any, Verdict]] = field(default_factory=dict)

    def reached(self, text: Text, symbol: str) -> frozenset[str]:
        """Names of a function, of all that it calls, of constants and of types that they name."""
        waiting, seen = [symbol], set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            function = text.functions.get(name)
            if function is not None:
                if id(function) not in self.names:
                    self.names[id(function)] = function, frozenset(_names(function))
                waiting += self.names[id(function)][1]
        return frozenset(seen)

    def verdict(self, prover: Prover, spoken: Spoken, function: str, reached: frozenset[str]) -> Verdict:
        """Of a function; once where texts say the same."""
        text = spoken.text
        tables = (text.functions, text.constants, text.records, text.types)
        meant = spoken.lanes, {name: [table.get(name) for table in tables] for name in reached}
        known = self.verdicts.get(function)
        if known is None or known[0] != meant:
            self.note(f"{spoken.title}: {function}")
            known = self.verdicts[function] = meant, prover.verdict(spoken, function)
        return replace(known[1], text=spoken.title)


def _of_text(
    prover: Prover, own: Readable, fresh: Readable, left: Mapping[str, str], judged: Judged
) -> Iterator[Verdict]:
    """Each function of a text, and what else of it is not as it is written."""
    spoken, text, others = own.spoken, own.spoken.text, fresh.spoken.text.functions
    told: set[str] = set()
    for function in prover.signatures:
        symbol = spoken.symbol(function)
        reached = judged.reached(text, symbol)
        verdict = judged.verdict(prover, spoken, function, reached)
        edited = sorted({*reached, function, f"{symbol}{AS_CALLED}"} & left.keys())
        told |= {*edited}
        branching = [
            each
            for each in edited
            if each.startswith(of_lanes(spoken)) or not _is_straight(text.functions.get(each), others.get(each))
        ]
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


def _read(name: str, language: str, title: str, files: Mapping[str, str], before: Before) -> Readable:
    """A text of a module as it stands in some files."""
    if language == "numpy":
        module = read_python(files[f"{name}.py"])
        spoken = Spoken(
            title,
            module.text,
            lambda function: _public(module, function),
            returns=True,
            unread=frozenset(module.unread),
            source=files[f"{name}.py"],
        )
        return Readable(spoken, module.unread)
    headers = {file: text for file, text in files.items() if file.endswith(".h")}
    defined = COMPILERS[title.replace("batch", "c", 1)]
    text = read_c(files[f"{name}{_FILES[language]}"], headers, defined, before)
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
        (_declared(own.spoken.text), _declared(fresh.spoken.text)),
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


def _names(part: Any) -> Iterator[str]:
    """What a part of a text names: variables, functions, types."""
    if part.__class__ is tuple:
        for each in part:
            yield from _names(each)
    elif hasattr(part, "__dataclass_fields__") and not isinstance(part, Number):
        for name in part.__dataclass_fields__:
            value = getattr(part, name)
            if value.__class__ is str and name in ("name", "function", "base"):
                yield value.strip("()* ")
            else:
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
            tuple((item.name, item.shape) for item in function.outputs),
            anew.module.takes_parameters(function),
        )
        for function in anew.module.functions
    }
