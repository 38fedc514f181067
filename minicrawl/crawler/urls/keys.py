"""What URLs have in common: host, politeness key, origin, site, owner, partition.

authority       host and port                      "b.example.co.uk:8080" of http://b.example.co.uk:8080/page
host name       the host alone                     "b.example.co.uk"
politeness key  whom requests for the URL weigh on "b.example.co.uk:8080"
origin          what a robots.txt speaks for       "http://b.example.co.uk:8080"
site            the registrable domain             "example.co.uk"
owner           the site, or a user's part of one  "me.github.io" of http://x.me.github.io/
partition key   a number by owner: who of several crawls that share the web has the URL

URLs are normalised ones (normalise.py), hosts are host names of such.
"""

import hashlib
from functools import lru_cache


def authority(url: str) -> str:
    """Host, and port where it is not the scheme's own, of a normalised URL."""
    return url.split("/", 3)[2]


def politeness_key(url: str) -> str:
    """Whom a politeness delay protects: the authority, whatever the scheme, and h.test for h.test. (RFC 1034 3.1)."""
    host = authority(url)
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


def origin_of(url: str) -> str:
    """scheme://host[:port] of a normalised URL: what a robots.txt speaks for."""
    path = url.find("/", 8)
    return url if path < 0 else url[:path]


def site_of(host: str) -> str:
    """The registrable domain of a host ("b.example.co.uk" -> "example.co.uk"), or the host itself if it has none."""
    return _domains(host)[0]


def owner_of(host: str) -> str:
    """Whose host one is: its site, but on a shared one a user's part of it ("x.me.github.io" -> "me.github.io").

    The private section of the public suffix list knows the shared ones.
    """
    return _domains(host)[1]


def owner_at(authority: str) -> str:
    """The owner of a host, which may have a port."""
    return owner_of(hostname(f"http://{authority}/"))


def is_public_suffix(name: str) -> bool:
    """Whether anybody may have a host below that name ("co.uk", "github.io"), also if no list knows it ("test")."""
    found = _extractor().extract_str(name, include_psl_private_domains=True)
    return found.suffix == name or ("." not in name.rstrip(".") and not found.ipv6)


def partition_key(host: str, secret: bytes = b"") -> int:
    """A number, below 2^64, by which crawls that share the web know whose a host is: the same for all of its owner.

    secret: up to 64 bytes; who does not know them cannot make hosts that all fall to one crawl.
    """
    return int.from_bytes(hashlib.blake2b(owner_of(host).encode(), digest_size=8, key=secret).digest())


@lru_cache(maxsize=100_000)
def _domains(host: str) -> tuple[str, str]:
    """Site and owner: to look for the suffix takes long, and who asks for one mostly asks for the other."""
    found = _extractor().extract_str(host, include_psl_private_domains=True)
    if not found.suffix and not found.ipv4 and not found.ipv6:
        # publicsuffix.org: where no rule matches, the last label is the public suffix.
        domain = ".".join(host.rstrip(".").rsplit(".", 2)[-2:]) or host
        return domain, domain
    if not found.domain:  # a host that is a suffix itself; a private one, such as github.io, is somebody's domain
        found = _extractor().extract_str(host, include_psl_private_domains=False)
        return found.top_domain_under_public_suffix or host, host
    return found.top_domain_under_registry_suffix or host, found.top_domain_under_public_suffix or host


@lru_cache(maxsize=1)
def _extractor():  # type: ignore[no-untyped-def]
    import tldextract  # slow to import, and only scopes and weights by site need it

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
