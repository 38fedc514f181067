"""Cookies: which a host may set, and which go along with a request (RFC 6265 5.3, 5.4).

A cookie is for the host that set it, or for all hosts of a domain that this host is in and that is no public suffix. So
it never leaves its registrable domain. Beyond the RFC, as browsers do (draft 6265bis): what comes in the clear is never
Secure, and takes the place of nothing that is. Time is passed in.

    cookies of a request = those in its site's jar with
        domain = host, or the host below the domain, unless the cookie is for its host alone
        path   = path of the URL, or a folder that it is in
        https, where the cookie is Secure
    longer paths first, then older cookies
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from minicrawl.crawler.http.logins.set_cookie import SetCookie, parse_set_cookie
from minicrawl.crawler.net.addresses import is_literal
from minicrawl.crawler.urls.keys import hostname, is_public_suffix, site_of
from minicrawl.crawler.urls.normalise import normalise

MOST_OF_A_SITE = 180
MOST_CHARACTERS = 32 * 10**6


class Cookie(NamedTuple):
    """`domain`: the host, or the domain with all hosts below it. `expires`: Unix seconds, None for a cookie without an
    end. `created`: when it was first set, `changed`: when it was set last, in Unix seconds."""

    domain: str
    path: str
    name: str
    value: str
    is_host_only: bool
    is_secure: bool
    is_http_only: bool
    expires: float | None
    created: float
    changed: float

    @property
    def key(self) -> "Key":
        """By what it is told from others (RFC 6265 5.3, 11)."""
        return self.domain, self.path, self.name

    @property
    def size(self) -> int:
        return len(self.domain) + len(self.path) + len(self.name) + len(self.value)

    def is_alive(self, now: float) -> bool:
        return self.expires is None or self.expires > now

    def is_for(self, url: str, host: str) -> bool:
        """Whether it goes along with a request for a normalised URL of a host."""
        is_there = host == self.domain if self.is_host_only else domain_matches(host, self.domain)
        return is_there and path_matches(_path(url), self.path) and (not self.is_secure or url.startswith("https:"))


Key = tuple[str, str, str]


class CookieJar:
    """All cookies, in a jar for each registrable domain, so that a request looks at few.

    most: cookies of a site, of which the oldest go; characters in all: then the sites that set theirs longest ago go.
    """

    def __init__(self, most_of_a_site: int = MOST_OF_A_SITE, most_characters: int = MOST_CHARACTERS) -> None:
        self._most_of_a_site, self._most = most_of_a_site, most_characters
        self._sites: dict[str, dict[Key, Cookie]] = {}  # that which changed last comes last
        self._size = 0
        self._touched: set[Key] = set()

    def __iter__(self) -> Iterator[Cookie]:
        for site in self._sites.values():
            yield from site.values()

    def take(self, url: str, fields: Iterable[str], now: float) -> None:
        """Take in the fields Set-Cookie of the answer for a normalised URL."""
        for field in fields:
            cookie = parse_set_cookie(field, now)
            if cookie is not None:
                self._set(url, cookie, now)

    def header(self, url: str, now: float) -> str | None:
        """The value of the field Cookie for a normalised URL, if it gets any."""
        host = hostname(url)
        site = self._sites.get(site_of(host))
        if site is None:
            return None
        for dead in [cookie for cookie in site.values() if not cookie.is_alive(now)]:
            self._remove(dead.key)
        fitting = [cookie for cookie in site.values() if cookie.is_for(url, host)]
        fitting.sort(key=lambda cookie: (-len(cookie.path), cookie.created))
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in fitting) or None

    def add(self, cookie: Cookie) -> None:
        """Take in a cookie as it is; one that has its key goes."""
        self._remove(cookie.key)
        owner = site_of(cookie.domain)
        site = self._sites.pop(owner, {})
        self._sites[owner] = site
        site[cookie.key] = cookie
        self._size += cookie.size
        self._touched.add(cookie.key)
        if len(site) > self._most_of_a_site:
            self._remove(min(site.values(), key=lambda one: one.changed).key)
        while self._size > self._most and len(self._sites) > 1:
            for key in list(next(iter(self._sites.values()))):
                self._remove(key)

    def get(self, key: Key) -> Cookie | None:
        return self._sites.get(site_of(key[0]), {}).get(key)

    def take_touched(self) -> set[Key]:
        """Keys of cookies that have been set or removed since the last call."""
        touched, self._touched = self._touched, set()
        return touched

    def _set(self, url: str, new: SetCookie, now: float) -> None:
        host = hostname(url)
        domain = _meant_domain(new.domain, host) if new.domain else ""
        if domain is None:
            return
        if new.is_secure and not url.startswith("https:"):
            return
        path = new.path if new.path.startswith("/") else default_path(url)
        cookie = Cookie(
            domain or host,
            path,
            new.name,
            new.value,
            not domain,
            new.is_secure,
            new.is_http_only,
            new.expires,
            now,
            now,
        )
        if not url.startswith("https:") and self._hides_secure_one(cookie):
            return
        before = self.get(cookie.key)
        if not cookie.is_alive(now):
            self._remove(cookie.key)
            return
        self.add(cookie if before is None else cookie._replace(created=before.created))

    def _hides_secure_one(self, new: Cookie) -> bool:
        return any(
            cookie.is_secure
            and cookie.name == new.name
            and (domain_matches(cookie.domain, new.domain) or domain_matches(new.domain, cookie.domain))
            and path_matches(new.path, cookie.path)
            for cookie in self._sites.get(site_of(new.domain), {}).values()
        )

    def _remove(self, key: Key) -> None:
        owner = site_of(key[0])
        site = self._sites.get(owner, {})
        gone = site.pop(key, None)
        if gone is not None:
            self._size -= gone.size
            self._touched.add(key)
            if not site:
                del self._sites[owner]


def domain_matches(host: str, domain: str) -> bool:
    """Whether a host is a domain's, or is below it (RFC 6265 5.1.3)."""
    return host == domain or (host.endswith(f".{domain}") and not is_literal(host))


def path_matches(path: str, folder: str) -> bool:
    """Whether a path is a cookie's, or is below it (RFC 6265 5.1.4)."""
    return path == folder or (path.startswith(folder) and (folder.endswith("/") or path[len(folder)] == "/"))


def default_path(url: str) -> str:
    """The folder of a normalised URL (RFC 6265 5.1.4)."""
    return _path(url).rpartition("/")[0] or "/"


def _path(url: str) -> str:
    return f"/{url.split('/', 3)[3].partition('?')[0]}"


def _meant_domain(given: str, host: str) -> str | None:
    """The domain that a host sets a cookie for, "" for the host alone; None where it may not (RFC 6265 5.3, 5-6)."""
    url = normalise(f"http://{given}/")
    domain = hostname(url) if url else ""
    if not domain or not domain_matches(host, domain):
        return None
    if is_public_suffix(domain):
        return "" if domain == host else None
    return domain
