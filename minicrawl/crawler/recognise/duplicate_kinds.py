"""Classify near-duplicates by the URLs of a page and its leader.

print     one of them is for printing, or for small screens
mirror    the same path on another host
template  two pages of one folder: mostly made from one template, or from one list
"""

import re

_PRINT = {"print", "printable", "printer", "printview", "amp", "mobile", "m"}
_PARTS = re.compile(r"[./?&=]")


def kind_of(url: str, leader: str) -> str | None:
    """The kind, as above; None if the URLs tell nothing. Both are normalised."""
    if _is_for_print(url) != _is_for_print(leader):
        return "print"
    host, _, path = url.partition("//")[2].partition("/")
    other_host, _, other_path = leader.partition("//")[2].partition("/")
    if host != other_host:
        return "mirror" if path == other_path else None
    return "template" if path.rpartition("/")[0] == other_path.rpartition("/")[0] else None


def _is_for_print(url: str) -> bool:
    """True if a part of the host, the path or the query says so."""
    return not _PRINT.isdisjoint(_PARTS.split(url.partition("//")[2].lower()))
