"""What tests of all formats share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mbsym.errors import FormatError
from mbsym.model.system import Model

Refused = Callable[[Callable[[str], Model], str, str, str, str], None]


@pytest.fixture
def refused() -> Refused:
    """Requires that a reader refuses the text of a file at a place, says why, and what to do about it."""

    def check(read: Callable[[str], Model], text: str, file: str, place: str, message: str) -> None:
        with pytest.raises(FormatError) as caught:
            read(text)
        assert str(caught.value).startswith(f"{file}:{place}")
        assert message in str(caught.value)
        assert caught.value.remedy
        if place and not place.endswith(":"):
            assert caught.value.where == f"{file}:{place}"

    return check
