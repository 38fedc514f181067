"""Public suffixes (com, co.uk, github.io), by the list of publicsuffix.org that the package tldextract has.

tldextract itself is not imported: it takes longer than NumPy, as it loads an HTTP client and builds trees of all rules.
"""

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

_PRIVATE = "// ===BEGIN PRIVATE DOMAINS==="


def public_suffix(name: str, *, has_users: bool) -> str:
    """The public suffix of a host's name without root dot; "" if no rule matches. May be the whole name.

    has_users: apply the private section of the list, too. (https://publicsuffix.org/list/, "Algorithm")
    """
    rules = _rules(has_users)
    labels = name.split(".")
    keys = [_unicode(label) for label in labels]
    for start in range(len(keys)):
        key, above = ".".join(keys[start:]), ".".join(keys[start + 1 :])
        if f"!{key}" in rules:
            return ".".join(labels[start + 1 :])
        if key in rules or (above and f"*.{above}" in rules):
            return ".".join(labels[start:])
    return ""


def _unicode(label: str) -> str:
    """A label as in the list: in lower case, and not in Punycode."""
    label = label.lower()
    if label.startswith("xn--"):
        try:
            return label.encode("ascii").decode("idna")
        except UnicodeError:
            return label
    return label


@lru_cache(maxsize=2)
def _rules(has_users: bool) -> frozenset[str]:
    """The rules of the list: "com", "*.ck", "!www.ck"."""
    package = find_spec("tldextract")
    assert package is not None
    assert package.origin is not None
    text = Path(package.origin).with_name(".tld_set_snapshot").read_text("utf-8")
    lines = text if has_users else text.partition(_PRIVATE)[0]
    return frozenset(line for line in lines.splitlines() if line and not line.startswith("//"))
