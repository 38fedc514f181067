"""Docstrings as Markdown: their columns become listings, which would run together as prose."""

import re
from typing import Any  # Any: nodes of a syntax tree

import griffe


class Columns(griffe.Extension):
    """Finds the columns in docstrings."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = with_listings(obj.docstring.value)


def with_listings(docstring: str) -> str:
    """A docstring with each paragraph of several lines that mostly have columns as a listing."""
    paragraphs = docstring.split("\n\n")
    return "\n\n".join(f"```text\n{one}\n```" if has_columns(one.splitlines()) else one for one in paragraphs)


def has_columns(lines: list[str]) -> bool:
    columns = [re.search(r"\S {2,}\S", line) is not None for line in lines]
    return len(lines) > 1 and not lines[0].startswith(" ") and 2 * sum(columns) > len(lines)
