"""Default classes of MJCF: attributes that elements take over from the class that they name or stand in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from mbsym.formats.xml_document import Element
from mbsym.values.diagnostic import nearest

Attributes: TypeAlias = dict[str, dict[str, str]]
"""Attributes by tag."""

MAIN = "main"


@dataclass(frozen=True, slots=True)
class Defaults:
    """The default classes of a file.

    Attributes:
        classes: attributes by class and tag.
    """

    classes: Mapping[str, Attributes]

    def applied(self, element: Element, around: str) -> Element:
        """The element with the attributes of its class that it does not state itself.

        Args:
            element: as it stands.
            around: the class of elements that name none.

        Raises:
            FormatError: there is no such class.
        """
        name = element.attributes.get("class", around)
        if name not in self.classes:
            remedy = nearest(name, self.classes, "define it under <default>")
            raise element.error(f"there is no default class {name!r}", remedy)
        inherited = dict(self.classes[name].get(element.tag, {}))
        if "fromto" in element.attributes:
            inherited = {key: value for key, value in inherited.items() if key not in ("pos", "quat", "euler")}
        return replace(element, attributes={**inherited, **element.attributes})


def read_defaults(root: Element) -> Defaults:
    """The default classes of a file.

    Raises:
        FormatError: a class has no name, or one that is taken; defaults of the whole file have a name of their own.
    """
    classes: dict[str, Attributes] = {MAIN: {}}
    for element in root.all("default"):
        _read(element, MAIN, classes, top=True)
    return Defaults(classes)


def _read(element: Element, parent: str, classes: dict[str, Attributes], *, top: bool) -> None:
    name = element.attributes.get("class", MAIN if top else "")
    if not name:
        raise element.error("<default> has no class", 'add class="..."')
    if top and name != MAIN:
        remedy = f"leave class out, or put it into <default> as a class {name!r} for elements that ask for it"
        raise element.error(f"the defaults of the whole file are a class {name!r}", remedy)
    if not top and name in classes:
        raise element.error(f"a second default class {name!r}", "rename one of them")
    own = {tag: dict(attributes) for tag, attributes in classes.get(parent, {}).items()}
    for child in element.children:
        if child.tag != "default":
            own.setdefault(child.tag, {}).update(child.attributes)
    classes[name] = own
    for child in element.all("default"):
        _read(child, name, classes, top=False)
