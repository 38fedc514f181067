"""What a URL is: parse, resolve, normalise, after the WHATWG URL standard (by the library ada)."""

from functools import lru_cache

import ada_url


def normalise(url: str, base: str | None = None) -> str | None:
    """The one spelling under which minicrawl knows a page, or None for what is not http(s).

    Resolves `url` against `base` as a browser does, and drops the fragment and credentials. Idempotent.
    """
    try:
        href = ada_url.join_url(base, url) if base else ada_url.normalize_url(url)
    except ValueError:
        return None
    if not href.startswith(("http://", "https://")):
        return None
    href = href.partition("#")[0]
    if "@" in authority(href):
        scheme, _, rest = href.partition("://")
        _, _, host_onwards = rest.partition("@")
        # The first '@' ends the user info: ada has encoded any other one in it.
        return f"{scheme}://{host_onwards}"
    return href


def authority(url: str) -> str:
    """Host, and port where it is not the scheme's own, of a normalised URL: whom a politeness delay protects."""
    return url.split("/", 3)[2]


def hostname(url: str) -> str:
    """Host of a normalised URL without port; IPv6 addresses keep their brackets."""
    host = authority(url)
    if host.endswith("]"):
        return host
    return host.partition(":")[0] if "[" not in host else host[: host.index("]") + 1]


def origin(url: str) -> str:
    """scheme://host[:port] of a normalised URL: what a robots.txt speaks for."""
    return "/".join(url.split("/", 3)[:3])


@lru_cache(maxsize=100_000)
def site(host: str) -> str:
    """The registrable domain of a host ("b.example.co.uk" -> "example.co.uk"), or the host itself if it has none."""
    found = _extractor().extract_str(host)
    if not found.suffix and not found.ipv4 and not found.ipv6:
        # publicsuffix.org: where no rule matches, the last label is the public suffix.
        return ".".join(host.rsplit(".", 2)[-2:])
    return found.top_domain_under_public_suffix or host


@lru_cache(maxsize=1)
def _extractor():  # type: ignore[no-untyped-def]
    import tldextract  # slow to import, and only scopes and weights by site need it

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
