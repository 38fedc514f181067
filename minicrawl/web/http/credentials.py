"""Headers and passwords that the user gives for hosts, and the origins that each may go to; the proxies of an origin.

docs/logins.md has the rules. The URL that is requested decides, so no secret follows a link or a redirect. Several
proxies of one pattern share its hosts: each host is assigned one of them, and the next if that is unusable.
"""

import base64
import ipaddress
import os
import re
from collections.abc import Callable, Mapping, Sequence, Set
from fnmatch import fnmatchcase
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import unquote_to_bytes, urlsplit

from minicrawl import log
from minicrawl.errors import SettingError
from minicrawl.web.http.connection import Endpoint, Proxy
from minicrawl.web.http.header import EVERYBODY, Header
from minicrawl.web.net.addresses import PORTS, endpoint, is_literal
from minicrawl.web.net.routes import ProxyRule, shown_proxy
from minicrawl.web.urls.normalise import normalise


class Place:
    """A host as the user names it, with or without scheme and port. option: named in errors."""

    def __init__(self, text: str, option: str) -> None:
        """Raises SettingError for an invalid host."""
        scheme, name, port = re.fullmatch(r"(?:(https?)://)?(.*?)(?::(\d+))?", text, re.IGNORECASE).groups()  # type: ignore[union-attr]
        url = normalise(f"{scheme or 'http'}://{name}:{port}/" if port else f"{scheme or 'http'}://{name}/")
        if url is None:
            raise SettingError(f"{option} {text}=...: {text!r} is not a host; write example.org or example.org:8080")
        self._name, own_port = endpoint(url)
        self._scheme = scheme and scheme.lower()
        self._port = own_port if port or scheme else None
        self._names_port = bool(port)

    def has(self, origin: str) -> bool:
        """True if the origin matches."""
        name, port = endpoint(f"{origin}/")
        return (
            name == self._name
            and self._port in (None, port)
            and (self._scheme is None or origin.startswith(f"{self._scheme}://"))
        )

    def may_have_secrets(self, origin: str, seed_origins: Set[str]) -> bool:
        """True if secrets may go to the origin: a seed's, or the very one that the text names, by default of https."""
        is_https = origin.startswith("https://") and (self._names_port or endpoint(f"{origin}/")[1] == PORTS["https"])
        return self.has(origin) and (self._scheme is not None or is_https or origin in seed_origins)


class Headers:
    """The user's headers. seed_origins: scheme://host[:port] of every seed. passwords: an origin is sent the first of
    these that may go there, unless another header has its name."""

    def __init__(self, headers: Sequence[Header], seed_origins: Set[str], passwords: Sequence[Header] = ()) -> None:
        """Raises SettingError for an invalid host."""
        self._headers = [(header, _place(header, "--header")) for header in headers]
        self._passwords = [(header, _place(header, "--auth")) for header in passwords]
        self._seed_origins = seed_origins

    def going_to(self, origin: str) -> list[tuple[str, str]]:
        """Names and values of the headers for an origin, scheme://host[:port], in the order given."""
        going = [header for header, place in self._headers if self._goes(header, place, origin)]
        names = {header.name.lower() for header in going}
        fitting = (header for header, place in self._passwords if self._goes(header, place, origin))
        password = next(fitting, None)
        if password is not None and password.name.lower() not in names:
            going.append(password)
        return [(header.name, header.value) for header in going]

    def _goes(self, header: Header, place: Place | None, origin: str) -> bool:
        if place is None:
            return header.host == EVERYBODY or origin in self._seed_origins
        return place.may_have_secrets(origin, self._seed_origins) if header.is_secret else place.has(origin)


def _place(header: Header, option: str) -> Place | None:
    return None if header.host in (None, EVERYBODY) else Place(header.host, option)


_PORTS = {**PORTS, "socks5": 1080, "socks5h": 1080}


def proxies_of_environment() -> dict[str, str]:
    """The result of urllib.request.getproxies_environment(): proxies by scheme."""
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return {}
    from urllib.request import getproxies_environment  # noqa: PLC0415 - loads an HTTP client, which is slow

    return getproxies_environment()


class Proxies:
    """The proxies of each origin, those that are known to be unusable last. is_own: True for an origin that
    --connect-to redirects, which proxies of the environment do not apply to."""

    def __init__(
        self,
        rules: Sequence[ProxyRule],
        environment: Mapping[str, str],
        is_own: Callable[[str], bool] = lambda origin: False,
    ) -> None:
        """environment: see `proxies_of_environment`. Raises SettingError."""
        self._rules = [(rule.pattern, proxy_of(rule.url) if rule.url else None) for rule in rules]
        named = {scheme: environment[scheme] for scheme in (*PORTS, "all") if environment.get(scheme)}
        self._of_environment = {} if rules else {scheme: proxy_of(url) for scheme, url in named.items()}
        self._not_for = [word.strip().lower() for word in environment.get("no", "").split(",") if word.strip()]
        self._is_own = is_own
        self._unusable: dict[Proxy, float] = {}
        self.of = lru_cache(maxsize=1000)(self._of)

    def __bool__(self) -> bool:
        """True if there are any."""
        return bool(self._of_environment) or any(proxy is not None for _, proxy in self._rules)

    def in_turn(self, origin: str) -> list[Proxy]:
        """The proxies of an origin, those that worked last time first; empty for a direct connection."""
        return sorted(self.of(origin), key=lambda proxy: self._unusable.get(proxy, 0.0))

    def failed(self, proxy: Proxy, why: str, now: float) -> None:
        """Record that a proxy could not be used."""
        if proxy not in self._unusable:
            log.event("proxy-failed", proxy=str(proxy), why=why)
        self._unusable[proxy] = now

    def works(self, proxy: Proxy) -> None:
        if self._unusable.pop(proxy, None) is not None:
            log.event("proxy-works", proxy=str(proxy))

    def _of(self, origin: str) -> tuple[Proxy, ...]:
        host, port = endpoint(f"{origin}/")
        is_exempt = any(_exempts(word, host, port) for word in self._not_for)
        for pattern, first in self._rules:
            if _matches(pattern, origin):
                if first is None or (pattern is None and is_exempt):
                    return ()
                found = [proxy for other, proxy in self._rules if other == pattern and proxy is not None]
                return tuple(sorted(found, key=lambda proxy: blake2b(f"{proxy} {host}".encode()).digest()))
        proxy = self._of_environment.get(origin.partition(":")[0]) or self._of_environment.get("all")
        is_here = ipaddress.ip_address(host).is_loopback if is_literal(host) else host.rpartition(".")[2] == "localhost"
        if proxy is None or is_exempt or is_here or self._is_own(f"{origin}/"):
            return ()
        return (proxy,)


def environment_proxies() -> list[str]:
    """The proxies of the environment, without passwords."""
    named = proxies_of_environment()
    urls = dict.fromkeys(named[scheme] for scheme in (*PORTS, "all") if named.get(scheme))
    return [str(shown_proxy(url)) for url in urls]


def _exempts(word: str, host: str, port: int) -> bool:
    """True if a word of NO_PROXY is the host, its domain or its network, or *."""
    if word == "*":
        return True
    if is_literal(host):
        try:
            return ipaddress.ip_address(host) in ipaddress.ip_network(word.strip("[]"), strict=False)
        except ValueError:
            return word in (f"{host}:{port}", f"[{host}]:{port}")
    name, _, at = word.partition(":")
    name = name.removeprefix("*").strip(".")
    return at in ("", str(port)) and bool(name) and (host == name or host.endswith(f".{name}"))


def _matches(pattern: str | None, origin: str) -> bool:
    """True if the origin's host matches the pattern, and its scheme and port if the pattern has them."""
    if pattern is None:
        return True
    scheme, _, rest = pattern.rpartition("://")
    host, port = endpoint(f"{origin}/")
    name, colon, at = rest.rpartition(":") if not rest.endswith("]") else (rest, "", "")
    name = (name if colon else rest).strip("[]")
    return scheme in ("", origin.partition(":")[0]) and (not colon or at == str(port)) and fnmatchcase(host, name)


def proxy_of(url: str) -> Proxy:
    """Parse the URL of a proxy, which may contain a name and password. Raises SettingError."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port
    except ValueError as error:
        raise SettingError(f"{shown_proxy(url)!r} is not a URL of a proxy: {error}") from error
    if parts.scheme not in _PORTS or not parts.hostname:
        raise SettingError(f"{shown_proxy(url)!r} is not a URL of a proxy: http://host:port, or https, socks5, socks5h")
    login = None
    if parts.username is not None:
        login = unquote_to_bytes(parts.username), unquote_to_bytes(parts.password or "")
    authorization = b"Basic " + base64.b64encode(b"%b:%b" % login) if login else None
    to = Endpoint(parts.scheme == "https", parts.hostname, port or _PORTS[parts.scheme])
    return Proxy(parts.scheme, to, authorization, login)
