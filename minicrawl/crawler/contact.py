"""Find crawls that should name a contact: they request other people's hosts, and name nobody."""

import ipaddress
from collections.abc import Iterable

from minicrawl.crawler.net.addresses import Routes, endpoint, is_literal
from minicrawl.settings import USER_AGENT, CrawlSettings

_NOBODYS = frozenset({"localhost", "test", "example", "invalid", "local", "internal"})
"""Domains that belong to nobody else: RFC 2606, 6762 and 8375; internal by ICANN."""


def is_nameless(settings: CrawlSettings, seeds: Iterable[str]) -> bool:
    """True if requests to someone else's host, among those of normalised URLs, would name nobody."""
    names_somebody = (
        settings.contact
        or settings.user_agent != USER_AGENT
        or any(header.name.lower() in ("from", "user-agent") for header in settings.headers)
    )
    if names_somebody:
        return False
    routes = Routes(settings.connect_to)
    return any(_is_of_others(routes.target(*endpoint(url))[0]) for url in seeds)


def _is_of_others(host: str) -> bool:
    """True if a host, by its name or address, may be other people's."""
    if is_literal(host):
        return ipaddress.ip_address(host).is_global
    name = host.rstrip(".")
    return name.rpartition(".")[2] not in _NOBODYS and not name.endswith(".home.arpa")
