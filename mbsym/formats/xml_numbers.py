"""Numbers in the attributes and texts of XML elements, as the decimals they are."""

from __future__ import annotations

from mbsym.errors import MbsymError
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import Element
from mbsym.values.numbers import decimal_number, size_fault
from mbsym.values.parameter import Value, Vector


def read_decimal(source: TextSource, element: Element, key: str, words: str) -> Value:
    """The number that the words of an attribute, or of the element's text, are: an integer or decimal text.

    Args:
        source: for messages.
        element: which has the words.
        key: name of the attribute, "" for the text.
        words: that stand there.

    Raises:
        FormatError: they are no finite decimal number, or one of a size that no model has.
    """
    if "${" in words:
        what = f"{key}={words!r}" if key else f"<{element.tag}> holds {words!r}, which"
        raise source.error(
            element.place, f"{what} is written in xacro, a macro language", "run the file through xacro first"
        )
    of = f"{key} of <{element.tag}>" if key else f"<{element.tag}>"
    try:
        number = decimal_number(words)
    except MbsymError as error:
        raise source.error(element.place, f"{of}: {error.what}", error.remedy) from None
    if number is None:
        what = f"{of} is {words!r}, no finite number" if words else f"<{element.tag}> has no {key or 'number'}"
        raise source.error(element.place, what, f"give a decimal number, {_example(element, key, '0.5')}")
    fault = size_fault(number)
    if fault:
        what = f"{of} holds {words if len(words) <= 40 else f'{words[:37]}...'}, which is {fault}"
        raise source.error(element.place, what, "check its digits and its unit")
    return int(number) if words.lstrip("+-").isdigit() else words


def read_number(source: TextSource, element: Element, key: str, default: str = "") -> Value:
    """The number of an attribute, or its default; errors as ``read_decimal``."""
    return read_decimal(source, element, key, element.attributes.get(key, default).strip())


def read_numbers(source: TextSource, element: Element, key: str, *counts: int) -> tuple[Value, ...]:
    """The numbers of an attribute.

    Args:
        source: for messages.
        element: which has the attribute.
        key: its name, "" for the element's text.
        counts: how many numbers there may be.

    Raises:
        FormatError: there are more or fewer, or one is no finite decimal number.
    """
    words = (element.attributes[key] if key else element.text).split()
    if len(words) not in counts:
        wanted = " or ".join(map(str, counts))
        of = f"{key} of <{element.tag}>" if key else f"<{element.tag}>"
        example = _example(element, key, "0 " * (counts[0] - 1) + "1")
        raise source.error(
            element.place,
            f"{of} has {len(words)} numbers",
            f"give {wanted}, {example}" if counts[0] > 1 else f"give {wanted}",
        )
    return tuple(read_decimal(source, element, key, word) for word in words)


def read_triple(source: TextSource, element: Element, key: str) -> Vector:
    """Three numbers; errors as ``read_numbers``."""
    x, y, z = read_numbers(source, element, key, 3)
    return x, y, z


def _example(element: Element, key: str, number: str) -> str:
    return f'{key}="{number}"' if key else f"<{element.tag}>{number}</{element.tag}>"
