"""Lists in pages that are read from the code: between these lines stands what it says now.

<!-- list of NAME -->
<!-- end of list -->
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

LIST = re.compile(r"(?<=<!-- list of )(?P<name>[^>]+?) -->\n.*?(?=<!-- end of list -->)", re.DOTALL)


def with_lists(text: str) -> str:
    """The text with its lists as they are now.

    Raises:
        KeyError: there is no such list.
    """
    return LIST.sub(lambda found: "\n".join([f"{found['name']} -->", "", *LISTS[found["name"]](), ""]), text)


def table(heads: Sequence[str], rows: Iterator[Sequence[str]]) -> list[str]:
    """Lines of a table, and an empty one."""
    return [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *(f"| {' | '.join(row)} |" for row in rows), ""]


def escaped(text: str) -> str:
    """Text without signs that Markdown or HTML would take for its own."""
    text = html.escape(text, quote=False)
    for sign in "\\*_[]|#":
        text = text.replace(sign, f"\\{sign}")
    return text


# ---- expressions ----------------------------------------------------------------------------------------------------

MEANINGS: Mapping[str, str] = {
    "sqrt": "square root",
    "sin": "of an angle in radians",
    "cos": "of an angle in radians",
    "tan": "of an angle in radians",
    "asin": "angle from -pi/2 to pi/2",
    "acos": "angle from 0 to pi",
    "exp": "power of e",
    "log": "natural logarithm",
    "tanh": "hyperbolic tangent: a smooth step from -1 to 1",
    "abs": "size without sign",
    "sign": "-1, 0 or 1",
    "atan2": "`atan2(y, x)`, the angle of the direction (x, y), from -pi to pi",
    "min": "the least of two or more",
    "max": "the largest of two or more",
    "pow": "`pow(x, y)`, the same as `x**y`",
}


def functions_of_expressions() -> list[str]:
    """Functions that expressions of every model may use."""
    from mbsym.symbolic.graph import BINARY_FUNCTIONS, UNARY_FUNCTIONS

    return table(
        ("function", "what it is"), ((f"`{name}`", MEANINGS[name]) for name in (*UNARY_FUNCTIONS, *BINARY_FUNCTIONS))
    )


# ---- parts that are ready -------------------------------------------------------------------------------------------

PARAMETER = re.compile(
    r"  (?P<name>\w+): \{value: (?P<value>[^,}]+)(?:, unit: (?P<unit>[^,}]+))?\} *(?:# (?P<note>.+))?"
)
"""A line of the parameters of a part, with its remark."""


def parameters_of_parts() -> list[str]:
    """Parameters of the bundled parts with the remarks beside them in their files.

    Raises:
        ValueError: beside a parameter stands no remark.
    """
    from mbsym.formats.native.includes import bundled_parts

    lines = []
    for part, file in bundled_parts().items():
        behind = file.read_text(encoding="utf-8").partition("\nparameters:\n")[2]
        found = list(map(PARAMETER.fullmatch, behind.partition("\n\n")[0].splitlines()))
        if not all(each and each["note"] for each in found):
            raise ValueError(f"a parameter of {part} has no remark beside it")
        rows = ((f"`{each['name']}`", f"`{each['value']}`", each["unit"] or "", each["note"]) for each in found if each)
        lines += [f"`{part}`:", "", *table(("parameter", "default", "unit", "what it is"), rows)]
    return lines


# ---- entries of a model file ----------------------------------------------------------------------------------------


def entries_of_a_model_file() -> list[str]:
    """The native format from its schema, a table of it after the other, each where it is first named."""
    from mbsym.formats.native.schema import json_schema

    schema = json_schema()
    definitions = schema["$defs"]
    lines = []
    for name in ("Model", *_named_in(schema, definitions, {})):
        described = schema if name == "Model" else definitions[name]
        whole, short = _whole_and_short(described)
        lines += [f"## {_spaced(name)}", "", escaped(" ".join(str(whole.get("description", "")).split())), ""]
        if short:
            lines += [f"Short form: {short}.", ""]
        required = whole.get("required", [])
        rows = (
            (
                f"`{key}`",
                _kind(entry, definitions),
                "required" if key in required else _default(entry.get("default")),
                escaped(str(entry.get("description", ""))),
            )
            for key, entry in whole["properties"].items()
        )
        lines += table(("entry", "holds", "default", ""), rows)
    return lines


def _named_in(part: Any, definitions: Mapping[str, Any], found: dict[str, None]) -> dict[str, None]:
    """Names of tables that a part of the schema leads to, in the order in which they are met."""
    for key, item in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        name = item.rpartition("/")[2] if key == "$ref" else ""
        if name and name not in found:
            found[name] = None
            _named_in(definitions[name], definitions, found)
        elif key not in ("discriminator", "$defs"):
            _named_in(item, definitions, found)
    return found


def _whole_and_short(described: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """A table of entries, and the short form that may stand for it."""
    if "anyOf" in described:
        whole, short = described["anyOf"]
        return whole, _kind(short, {})
    return described, ""


def _default(value: Any) -> str:
    """A default that says something; nothing, and tables of nothing, are blank."""
    if isinstance(value, dict) or value in (None, "", []):
        return ""
    if isinstance(value, list):
        return f"`[{', '.join(map(str, value))}]`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _kind(entry: Mapping[str, Any], definitions: Mapping[str, Any], between: str = ", ") -> str:
    """What an entry holds, in words."""
    if "$ref" in entry:
        name = entry["$ref"].rpartition("/")[2]
        return f"[{_spaced(name)}](#{_spaced(name).lower().replace(' ', '-')})"
    if "const" in entry:
        return f"`{entry['const']}`"
    if "enum" in entry:
        return between.join(f"`{word}`" for word in entry["enum"])
    for key in ("anyOf", "oneOf"):
        if key in entry:
            return " or ".join(kind for item in entry[key] if (kind := _kind(item, definitions)) != "nothing")
    return _plain_kind(entry, definitions)


def _plain_kind(entry: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    kind = entry.get("type")
    if kind == ["number", "string"]:
        return "value"
    if isinstance(kind, list):
        return "name"
    if kind == "array":
        return _list_kind(entry, definitions)
    if kind == "object":
        inside = entry.get("additionalProperties")
        return f"table of names: {_kind(inside, definitions)}" if isinstance(inside, Mapping) else "table"
    return {"string": "text", "boolean": "true or false", "integer": "whole number", "null": "nothing"}.get(
        str(kind), "value"
    )


def _list_kind(entry: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    if "prefixItems" in entry:
        return f"[{', '.join(_kind(item, definitions, ' or ') for item in entry['prefixItems'])}]"
    inside = _kind(entry["items"], definitions)
    least, most = entry.get("minItems"), entry.get("maxItems")
    return f"{least} x {inside}" if least is not None and least == most else f"list of {inside}"


def _spaced(name: str) -> str:
    """PointSpringDamperTable as "Point spring damper"."""
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name.removesuffix("Table"))
    return words.strip().capitalize()


LISTS: Mapping[str, Callable[[], list[str]]] = {
    "functions of expressions": functions_of_expressions,
    "parameters of parts": parameters_of_parts,
    "entries of a model file": entries_of_a_model_file,
}
"""What writes each list."""
