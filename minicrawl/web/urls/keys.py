"""Keys of a URL: host, politeness key, origin, site, partition.

authority       host and port                      "b.example.co.uk:8080" of http://b.example.co.uk:8080/page
host name       the host alone                     "b.example.co.uk"
politeness key  unit of the politeness delay       "b.example.co.uk:8080"
origin          scope of a robots.txt              "http://b.example.co.uk:8080"
site            the registrable domain             "example.co.uk"; "me.github.io" of http://x.me.github.io/
partition key   a number by site: selects the partition that has the URL

URLs are normalised (normalise.py). A site is the unit of trust, of budgets, of `--scope site` and of every list by
site. On a shared domain such as github.io or readthedocs.io, which the private section of the public suffix list names,
each user's part is a site. An IP address, and a host without a dot such as localhost, is its own site.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path


def authority(url: str) -> str:
    """Host, and port where it is not the scheme's own, of a normalised URL."""
    return url.split("/", 3)[2]


def politeness_key(url: str) -> str:
    """The authority that a politeness delay protects, for any scheme; h.test for h.test. (RFC 1034 3.1)."""
    return without_dot(authority(url))


def without_dot(host: str) -> str:
    """A host, with or without a port, without its trailing dot."""
    if not host.endswith(".") and ".:" not in host:  # as it mostly is
        return host
    host, colon, port = host.partition(":")
    return f"{host.removesuffix('.')}{colon}{port}"


def hostname(url: str) -> str:
    """Host of a normalised URL without port; IPv6 addresses keep their brackets."""
    host = authority(url)
    if host.endswith("]"):
        return host
    return host.partition(":")[0] if "[" not in host else host[: host.index("]") + 1]


def without_www(name: str) -> str:
    """A host, with or without a port, less what makes another name of one site's main host: www., however often, and a
    dot behind it."""
    while name.startswith("www.") and name != "www.":
        name = name[4:]
    return without_dot(name)


def origin_of(url: str) -> str:
    """scheme://host[:port] of a normalised URL: what a robots.txt speaks for."""
    path = url.find("/", 8)
    return url if path < 0 else url[:path]


def site_of(url: str) -> str:
    """Site of a normalised URL, or of an authority ("www.example.co.uk:8080" -> "example.co.uk")."""
    return _domain(hostname(url if "://" in url else f"http://{url}/"))


def is_public_suffix(name: str) -> bool:
    """True if anyone can have a host below the name ("co.uk", "github.io"), including unlisted suffixes ("test")."""
    labels = name.rstrip(".").split(".")
    return suffix_length(labels) == len(labels) or (len(labels) == 1 and not name.endswith("]"))


def partition_key(host: str, secret: bytes = b"") -> int:
    """A number below 2^64, the same for all hosts of a site; `partition_key % partitions` is the home of its URLs.

    The key of a site never changes, or pages of existing stores would lose their homes. secret: up to 64 bytes; without
    it nobody can make up sites that all have one home.
    """
    site = _domain(host)
    return int.from_bytes(hashlib.blake2b(site.encode(), digest_size=8, key=secret).digest())


@lru_cache(maxsize=100_000)
def _domain(host: str) -> str:
    """The domain under the public suffix of a host, by the private section of the list, too."""
    labels = host.rstrip(".").split(".")
    if len(labels) <= 2 or labels[-1].isdigit() or host.endswith("]"):  # a suffix, or right below one; or an address
        return ".".join(labels) or host
    suffix = suffix_length(labels) or 1  # publicsuffix.org: where no rule matches, the last label is the public suffix
    return ".".join(labels[-suffix - 1 :])


def suffix_length(labels: Sequence[str]) -> int:
    """Number of labels of the public suffix of a normalised host, given by its labels; 0 if no rule matches.

    ["www", "example", "co", "uk"] -> 2. The longest rule counts; "*" stands for a label, "!" excepts a name from that.
    """
    rules, longest, name = _suffixes(), 0, ""
    for length, label in enumerate(map(_as_listed, reversed(labels)), 1):
        above, name = name, f"{label}.{name}" if name else label
        if f"!{name}" in rules:
            return length - 1
        if name in rules or f"*.{above}" in rules:
            longest = length
    return longest


def _as_listed(label: str) -> str:
    try:
        return label[4:].encode("ascii").decode("punycode") if label.startswith("xn--") else label
    except UnicodeError:
        return label


@lru_cache(maxsize=1)
def _suffixes() -> frozenset[str]:
    """The public suffix list (publicsuffix.org) that tldextract bundles, with its private section. Read from the
    package's file: importing tldextract imports requests, and costs each crawl 50 ms and 11 MB."""
    package = find_spec("tldextract")
    assert package is not None, "it is a requirement"
    bundled = Path(str(package.origin)).with_name(".tld_set_snapshot")
    if bundled.exists():
        return frozenset(re.findall(r"^(?!//)\S+", bundled.read_text(encoding="utf-8"), re.MULTILINE))
    from tldextract import TLDExtract  # noqa: PLC0415 - a release that keeps its list elsewhere

    return frozenset(TLDExtract(None, (), include_psl_private_domains=True).tlds)
