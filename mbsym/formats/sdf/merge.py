"""What ``<include merge="true">`` of an SDF makes of a model: elements of the model that includes it.

A frame takes the place of the model's own: what was given in ``__model__``, said or unsaid, is given in the frame
``_merged__NAME__model__``, attached to the model's canonical link and posed as the model would be. Source: SDFormat,
merging for composition.
"""

from __future__ import annotations

from typing import Final

from mbsym.formats.sdf.words import MODEL_FRAME, NAMED
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import Element

REFERRING: Final = ("relative_to", "attached_to", "expressed_in")
"""Attributes that name frames."""


def merged(source: TextSource, include: Element, model: Element) -> list[Element]:
    """The elements of an included model as elements of the model around it, its frame first.

    Args:
        source: for messages.
        include: the element that includes it.
        model: with name and pose as the include has them, and the models that it includes in place.

    Raises:
        FormatError: the model has no link.
    """
    name = model.attributes.get("name", "").strip()
    carriers = [part.attributes.get("name", "") for tag in ("link", "model") for part in model.all(tag)]
    if not carriers:
        raise source.error(include.place, f"model {name!r} has no <link> to attach its frame to", "add one")
    canonical = model.attributes.get("canonical_link", "").strip() or carriers[0]
    proxy = f"_merged__{name}__model__"
    pose = model.child("pose") or Element("pose", {}, model.place)
    pose.attributes.setdefault("relative_to", MODEL_FRAME)
    frame = Element("frame", {"name": proxy, "attached_to": canonical}, model.place, [pose])
    placed = model.attributes.get("placement_frame", "").strip()
    if placed and placed != MODEL_FRAME:
        frame.attributes["placement_frame"] = placed
    found = [child for child in model.children if child.tag in NAMED]
    for child in found:
        _rename(child, proxy)
    return [frame, *found]


def _rename(element: Element, proxy: str) -> None:
    """Lets a link, joint, frame or model refer to the frame in place of the model that it stood in."""
    pose = element.child("pose")
    if element.tag == "frame" and not element.attributes.get("attached_to", "").strip():
        element.attributes["attached_to"] = proxy
    elif element.tag in ("link", "model") and (pose is None or not pose.attributes.get("relative_to", "").strip()):
        if pose is None:
            pose = Element("pose", {}, element.place)
            element.children.append(pose)
        pose.attributes["relative_to"] = proxy
    # Within a model __model__ is that model.
    for part in [element, pose] if element.tag == "model" and pose is not None else element.every():
        for key in REFERRING:
            if part.attributes.get(key, "").strip() == MODEL_FRAME:
                part.attributes[key] = proxy
        if part.tag in ("parent", "child") and part.text.strip() == MODEL_FRAME:
            part.text = proxy
