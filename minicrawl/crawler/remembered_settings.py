"""The settings of a resumed crawl: those given this time, else those in the store, else the defaults.

Limits hold for one run. Headers, and passwords for hosts or a proxy, are not in the store.
"""

import ipaddress
from collections.abc import Iterable, Mapping
from typing import Any  # Any: settings as given

from msgspec import Struct

from minicrawl.errors import HIDDEN, SettingError, StoreError
from minicrawl.settings import SETTINGS, USER_AGENT, CrawlSettings, option
from minicrawl.settings.crawl import lasting
from minicrawl.settings.requests import is_hidden
from minicrawl.store.reader import Store
from minicrawl.web.net.addresses import Routes, endpoint, is_literal

_MOST_SHOWN = 3


class Resumed(Struct, frozen=True):
    """The settings of a resumed crawl. `sources`: where each is from, "given", "store" or "default". `changes`:
    differences from before, in lines for people."""

    settings: CrawlSettings
    sources: Mapping[str, str]
    changes: tuple[str, ...] = ()


def resumed(kept: Mapping[str, Any], given: Mapping[str, Any], forgotten: Iterable[str] = ()) -> Resumed:
    """The settings of the next run of a crawl. kept: those in the store, {} for a new one. forgotten: options to
    reset to their defaults. Raises SettingError."""
    before = lasting(kept)
    given = _defaults(forgotten) | dict(given)
    hidden = [rule for rule in before.get("proxy") or () if HIDDEN in rule]
    if "proxy" not in given and hidden:
        raise SettingError(
            f"this crawl used the proxy {hidden[0]}, whose password is not kept: give --proxy again, or --forget proxy"
        )
    if "auth" not in given and any(map(is_hidden, before.get("auth") or ())):
        raise SettingError(
            f"this crawl logged in at {_hosts(before['auth'])}, and passwords are not kept: give --auth again, or "
            "--forget auth"
        )
    settings = CrawlSettings.of(before | given)
    values, sources, changes = settings.shown(), {}, []
    for name, setting in SETTINGS.items():
        now = getattr(settings, name)
        if name in given:
            sources[name] = "given"
            was = before.get(name, values[name])
            was = tuple(was) if isinstance(was, list) else was
            if was != values[name]:
                changes.append(f"{option(name)[2:]}: {shown(name, was)} -> {shown(name, now)}")
        else:
            sources[name] = "store" if now != setting.default else "default"
    return Resumed(settings, sources, tuple(changes))


def refuse_partition(store: Store) -> None:
    """Raise StoreError for the store of a partition: only all of them together can be resumed."""
    if store.meta("partition") is not None:
        folder = store.path.parent
        raise StoreError(
            f"{store.path} is a partition of a crawl; 'minicrawl crawl --store {folder}' continues all of it"
        )


def _defaults(options: Iterable[str]) -> dict[str, Any]:
    names = {spelling: spelling.removeprefix("--").replace("-", "_") for spelling in options}
    for spelling, name in names.items():
        if name not in SETTINGS:
            raise SettingError(f"--forget takes the name of an option, such as max-depth, not {spelling!r}")
    return {name: SETTINGS[name].default for name in names.values()}


def _hosts(logins: Iterable[str]) -> str:
    """The hosts of hidden logins, as a list for people."""
    hosts = [login.rpartition("=")[0] or "the origins of the seeds" for login in logins]
    return ", ".join(dict.fromkeys(hosts))


def shown(name: str, value: Any) -> str:
    value = SETTINGS[name].hide(value)
    if value in (None, (), ""):
        return "none"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) if len(value) <= _MOST_SHOWN else f"{len(value):,} of them"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


_NOBODYS = frozenset({"localhost", "test", "example", "invalid", "local", "internal"})
"""Domains that belong to nobody else: RFC 2606, 6762 and 8375; internal by ICANN."""


def is_nameless(settings: CrawlSettings, seeds: Iterable[str]) -> bool:
    """True if requests to someone else's host, among those of normalised URLs, would name nobody."""
    names_somebody = (
        settings.contact
        or settings.user_agent != USER_AGENT
        or any(header.name.lower() in ("from", "user-agent") for header in settings.header)
    )
    if names_somebody:
        return False
    routes = Routes(settings.connect_to)
    return any(_is_of_others(routes.target(*endpoint(url))[0]) for url in seeds)


def _is_of_others(host: str) -> bool:
    if is_literal(host):
        return ipaddress.ip_address(host).is_global
    name = host.rstrip(".")
    return name.rpartition(".")[2] not in _NOBODYS and not name.endswith(".home.arpa")
