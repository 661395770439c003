"""What a mechanism is: frozen data, in the user's own names, checked before anything is derived from it."""

from __future__ import annotations
