"""The public suffix list (publicsuffix.org) that tldextract bundles, with its private section.

It is read from the package's file: importing tldextract imports requests, and costs each crawl 50 ms and 11 MB.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path


def suffix_length(labels: Sequence[str]) -> int:
    """Number of labels of the public suffix of a normalised host, given by its labels; 0 where no rule matches.

    ["www", "example", "co", "uk"] -> 2. The longest rule counts; "*" stands for a label, "!" excepts a name from that.
    """
    rules, longest, name = _rules(), 0, ""
    for length, label in enumerate(map(_unicode, reversed(labels)), 1):
        above, name = name, f"{label}.{name}" if name else label
        if f"!{name}" in rules:
            return length - 1
        if name in rules or f"*.{above}" in rules:
            longest = length
    return longest


def _unicode(label: str) -> str:
    """A label as the list has it."""
    try:
        return label[4:].encode("ascii").decode("punycode") if label.startswith("xn--") else label
    except UnicodeError:
        return label


@lru_cache(maxsize=1)
def _rules() -> frozenset[str]:
    package = find_spec("tldextract")
    assert package is not None, "it is a requirement"
    bundled = Path(str(package.origin)).with_name(".tld_set_snapshot")
    if bundled.exists():
        return frozenset(re.findall(r"^(?!//)\S+", bundled.read_text(encoding="utf-8"), re.MULTILINE))
    from tldextract import TLDExtract  # noqa: PLC0415 - a release that keeps its list elsewhere

    return frozenset(TLDExtract(None, (), include_psl_private_domains=True).tlds)
