"""Modules of which one function has one wrong entry, which every check of that function must see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from mbsym.codegen.load import LoadedModule


def with_wrong_entries(module: LoadedModule, name: str, error: float) -> Iterator[tuple[LoadedModule, str, int]]:
    """For each entry of each result of a function the module with that entry wrong, the result and the entry.

    Args:
        module: with the function.
        name: of the function.
        error: in the entry, relative to the largest of its result or to one.
    """
    function = module.functions[name]
    for output, item in enumerate(function.outputs):
        for entry in range(item.size):

            def wrong(inputs: Any, parameters: Any, output: int = output, entry: int = entry) -> Any:
                found = function.call(inputs, parameters)
                results = [np.array(array) for array in (found if isinstance(found, tuple) else (found,))]
                results[output].reshape(-1)[entry] += error * max(1.0, np.abs(results[output]).max())
                return tuple(results) if len(results) > 1 else results[0]

            functions = {**module.functions, name: replace(function, call=wrong)}
            yield replace(module, functions=functions), item.name, entry
