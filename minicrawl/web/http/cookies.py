"""Cookies: parse Set-Cookie, accept what a host may set, and choose the cookies of a request (RFC 6265 5.1 to 5.4).

A cookie belongs to the host that set it, or to all hosts of a domain that contains this host and is not a public
suffix. So it never leaves its registrable domain. Beyond the RFC, as browsers do (draft 6265bis): cookies with control
characters, and __Secure- and __Host- names without the attributes that they promise, are ignored; a cookie set over
plain http is never Secure and replaces no Secure one. Time is passed in.

A line of the user's file, in Netscape's format, has domain, TRUE for hosts below, path, TRUE for Secure, expires (0 =
never), name and value, separated by tabs. `#HttpOnly_` before the domain means HttpOnly; other lines with # are
comments.
"""

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple  # Any: JSON

from minicrawl import log
from minicrawl.errors import SettingError
from minicrawl.system import check_replaceable, put_in_place
from minicrawl.web.http.response_fields import http_date
from minicrawl.web.net.addresses import is_literal
from minicrawl.web.urls.keys import hostname, is_public_suffix, site_of
from minicrawl.web.urls.normalise import normalise

LONGEST = 4096
"""Characters of name and value (RFC 6265 6.1); a longer cookie is ignored."""
_LONGEST_ATTRIBUTE = 1024
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_LAST = 253402300799.0  # the last second of the year 9999


Key = tuple[str, str, str]


class Cookie(NamedTuple):
    """A cookie. `domain`: a host, or a domain with all hosts below it. Flags are 0 or 1. `expires`: Unix seconds, None:
    never. `created`, `changed`: it was first and last set then."""

    domain: str
    path: str
    name: str
    value: str
    host_only: int
    secure: int
    http_only: int
    expires: float | None
    created: float
    changed: float

    @property
    def key(self) -> "Key":
        """The identity of a cookie (RFC 6265 5.3, 11)."""
        return self.domain, self.path, self.name

    @property
    def size(self) -> int:
        return len(self.domain) + len(self.path) + len(self.name) + len(self.value)

    def is_alive(self, now: float) -> bool:
        return self.expires is None or self.expires > now

    def is_for(self, url: str, host: str) -> bool:
        """True if a request for a normalised URL of this host includes the cookie."""
        is_there = host == self.domain if self.host_only else domain_matches(host, self.domain)
        return is_there and path_matches(_path(url), self.path) and (not self.secure or url.startswith("https:"))


def parse_set_cookie(text: str, now: float) -> Cookie | None:
    """Parse the value of Set-Cookie; None if it is to be ignored. The domain is "" for the host alone, the path "" for
    the folder of the URL."""
    pair, *attributes = text.split(";")
    name, equals, value = (part.strip(" \t") for part in pair.partition("="))
    if not equals or not name or len(name) + len(value) > LONGEST or _CONTROL.search(text):
        return None
    found: dict[str, str] = {}
    for attribute in attributes:
        key, _, given = (part.strip(" \t") for part in attribute.partition("="))
        if len(given) <= _LONGEST_ATTRIBUTE and (key.lower() not in _VALID or _VALID[key.lower()](given)):
            found[key.lower()] = given  # the last valid one of a name counts
    domain, path = found.get("domain", "").removeprefix(".").lower(), found.get("path", "")
    flags = not domain, "secure" in found, "httponly" in found
    cookie = Cookie(domain, path, name, value, *flags, _expires(found, now), now, now)
    return cookie if _keeps_promise(cookie) else None


_VALID: Mapping[str, Callable[[str], object]] = {
    "expires": lambda given: http_date(given) is not None,
    "max-age": re.compile(r"-?\d+", re.ASCII).fullmatch,
    "domain": bool,
}


def _expires(found: dict[str, str], now: float) -> float | None:
    if "max-age" in found:
        # A number with more digits than any time means for ever.
        age = found["max-age"]
        seconds = int(age) if len(age) <= 15 else (-1 if age.startswith("-") else _LAST)
        return min(now + seconds, _LAST) if seconds > 0 else 0.0
    return http_date(found["expires"]) if "expires" in found else None


def _keeps_promise(cookie: Cookie) -> bool:
    name = cookie.name.lower()
    if name.startswith("__host-"):
        return bool(cookie.secure) and not cookie.domain and cookie.path == "/"
    return bool(cookie.secure) or not name.startswith("__secure-")


MOST_OF_A_SITE = 180
MOST_CHARACTERS = 32 * 10**6


class CookieJar:
    """All cookies, in a jar for each registrable domain, so that a request looks at few.

    most_of_a_site: cookies, beyond which the oldest of the site goes. most_characters: of all, beyond which the sites
    whose last change is oldest go.
    """

    def __init__(self, most_of_a_site: int = MOST_OF_A_SITE, most_characters: int = MOST_CHARACTERS) -> None:
        self._most_of_a_site, self._most = most_of_a_site, most_characters
        self._sites: dict[str, dict[Key, Cookie]] = {}  # by time of their last change
        self._size = 0
        self.touched: set[Key] = set()
        """Keys of the cookies set or removed since this was last cleared."""

    def __iter__(self) -> Iterator[Cookie]:
        for site in self._sites.values():
            yield from site.values()

    def take(self, url: str, fields: Iterable[str], now: float) -> None:
        """Accept the Set-Cookie fields of a response for a normalised URL."""
        for field in fields:
            cookie = parse_set_cookie(field, now)
            if cookie is not None:
                self._set(url, cookie, now)

    def header(self, url: str, now: float) -> str | None:
        """The value of Cookie for a normalised URL; None without cookies."""
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
        """Add a cookie, or replace the one with its key."""
        self._remove(cookie.key)
        owner = site_of(cookie.domain)
        site = self._sites.pop(owner, {})
        self._sites[owner] = site
        site[cookie.key] = cookie
        self._size += cookie.size
        self.touched.add(cookie.key)
        if len(site) > self._most_of_a_site:
            self._remove(min(site.values(), key=lambda one: one.changed).key)
        while self._size > self._most and len(self._sites) > 1:
            for key in list(next(iter(self._sites.values()))):
                self._remove(key)

    def get(self, key: Key) -> Cookie | None:
        return self._sites.get(site_of(key[0]), {}).get(key)

    def forget(self, site: str) -> None:
        """Remove all cookies of a site."""
        for key in list(self._sites.get(site, ())):
            self._remove(key)

    def _set(self, url: str, new: Cookie, now: float) -> None:
        host = hostname(url)
        domain = _meant_domain(new.domain, host) if new.domain else ""
        if domain is None:
            return
        if new.secure and not url.startswith("https:"):
            return
        path = new.path if new.path.startswith("/") else _path(url).rpartition("/")[0] or "/"  # RFC 6265 5.1.4
        cookie = new._replace(domain=domain or host, path=path, host_only=not domain)
        if not url.startswith("https:") and self._hides_secure_one(cookie):
            return
        before = self.get(cookie.key)
        if not cookie.is_alive(now):
            self._remove(cookie.key)
            return
        self.add(cookie if before is None else cookie._replace(created=before.created))

    def _hides_secure_one(self, new: Cookie) -> bool:
        return any(
            cookie.secure
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
            self.touched.add(key)
            if not site:
                del self._sites[owner]


def domain_matches(host: str, domain: str) -> bool:
    """True if a host is a domain or one of its subdomains (RFC 6265 5.1.3)."""
    return host == domain or (host.endswith(f".{domain}") and not is_literal(host))


def path_matches(path: str, folder: str) -> bool:
    """True if a path is a cookie's path or is below it (RFC 6265 5.1.4)."""
    return path == folder or (path.startswith(folder) and (folder.endswith("/") or path[len(folder)] == "/"))


def _path(url: str) -> str:
    return f"/{url.split('/', 3)[3].partition('?')[0]}"


def _meant_domain(given: str, host: str) -> str | None:
    """The domain that a host may set a cookie for, "" for the host alone, None if it may not (RFC 6265 5.3, 5-6)."""
    url = normalise(f"http://{given}/")
    domain = hostname(url) if url else ""
    if not domain or not domain_matches(host, domain):
        return None
    if is_public_suffix(domain):
        return "" if domain == host else None
    return domain


LOGIN = "# minicrawl login: "
"""Begins the comments on logins, which a file keeps when it is rewritten."""
_HTTP_ONLY = "#HttpOnly_"
_HEAD = "# Netscape HTTP Cookie File\n# Written by minicrawl. Anybody who has these cookies is logged in as you.\n\n"


def read_cookie_file(path: Path) -> list[Cookie]:
    """The cookies of a file, dated by its time of change; none if there is no file. Raises SettingError.

    The file is in Netscape's format, or a browser's storage state (JSON), as Playwright and others write it.
    """
    changed, text = _file_text(path)
    if text.lstrip().startswith(("{", "[")):
        return _of_storage_state(path, text, changed)
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or (line[0] == "#" and not line.startswith(_HTTP_ONLY)):
            continue
        cookie = _parsed(line, changed)
        if cookie is None:
            raise SettingError(
                f"--cookie-file {path}, line {number}: not a cookie in Netscape's format: seven parts separated by "
                "tabs, the fifth a time in seconds"
            )
        found.append(cookie)
    return found


def read_logins(path: Path) -> list[str]:
    """The comments on logins in a file, without `LOGIN`. Raises SettingError."""
    lines = _file_text(path)[1].splitlines()
    return [line.removeprefix(LOGIN) for line in lines if line.startswith(LOGIN)]


def _file_text(path: Path) -> tuple[float, str]:
    """When a file was changed, and its text; none if there is no file."""
    try:
        check_replaceable(path)  # as the crawl writes it at its end
        return path.stat().st_mtime, path.read_text("utf-8-sig")
    except FileNotFoundError:
        return 0.0, ""
    except UnicodeDecodeError as error:
        raise SettingError(f"--cookie-file {path} is not UTF-8 text") from error
    except OSError as error:
        raise SettingError(f"--cookie-file {path} cannot be read: {error.strerror}") from error


def _of_storage_state(path: Path, text: str, changed: float) -> list[Cookie]:
    """The cookies of a browser's storage state: {"cookies": [{"name", "value", "domain", "path", "expires" ...}]}, or
    the list alone."""
    try:
        state = json.loads(text)
        return cookies_of_rows(state["cookies"] if isinstance(state, dict) else state, changed)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = "is JSON, but no storage state of a browser: it has no list of cookies"
        raise SettingError(f"--cookie-file {path} {problem}") from error


def cookies_of_rows(rows: Iterable[dict[str, Any]], changed: float) -> list[Cookie]:
    """The cookies of the rows of a storage state. Those that no request could carry are left out."""
    return [cookie for row in rows if (cookie := _of_row(row, changed)) is not None]


def _of_row(row: dict[str, Any], changed: float) -> Cookie | None:
    domain, expires = str(row["domain"]), max(float(row.get("expires") or row.get("expirationDate") or 0), 0.0)
    flags = ("TRUE" if is_so else "FALSE" for is_so in (domain.startswith("."), row.get("secure")))
    has_hosts_below, secure = flags
    parts = (domain, has_hosts_below, row.get("path") or "/", secure, str(expires), row["name"], row["value"])
    return _parsed((_HTTP_ONLY if row.get("httpOnly") else "") + "\t".join(parts), changed)


def _parsed(line: str, changed: float) -> Cookie | None:
    parts = line.removeprefix(_HTTP_ONLY).split("\t")
    if len(parts) == 6:  # some programs omit the tab before an empty value
        parts.append("")
    if len(parts) != 7:
        return None
    domain, has_hosts_below, path, secure, expires, name, value = parts
    url = normalise(f"http://{domain.removeprefix('.')}/")
    try:
        until = float(expires or 0)
    except ValueError:
        return None
    is_sendable = all(" " <= char <= "\xff" and char not in ";\x7f" for char in name + value)
    if math.isinf(until) or url is None or not path.startswith("/") or not is_sendable or not name:
        return None
    flags = has_hosts_below.upper() != "TRUE", secure.upper() == "TRUE", line.startswith(_HTTP_ONLY)
    return Cookie(hostname(url), path, name, value, *flags, until if until > 0 else None, changed, changed)


def write_cookie_file(path: Path, cookies: Iterable[Cookie], logins: Iterable[str] | None = None) -> bool:
    """Write a file that only the user may read. It appears complete or not at all: False, and the log tells why.

    logins: comments on these, see `LOGIN`; None: those that the file has.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        logins = read_logins(path) if logins is None else logins
        with put_in_place(unfinished, path):
            handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8") as file:
                file.write(_HEAD)
                file.writelines(f"{LOGIN}{login}\n" for login in logins)
                file.writelines(map(_line, cookies))
    except (OSError, SettingError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        log.event("cookie-file-unwritten", file=str(path), why=why)
        return False
    return True


def _line(cookie: Cookie) -> str:
    domain = cookie.domain if cookie.host_only else f".{cookie.domain}"
    flags = ("FALSE" if cookie.host_only else "TRUE", cookie.path, "TRUE" if cookie.secure else "FALSE")
    parts = (domain, *flags, str(int(cookie.expires or 0)), cookie.name, cookie.value)
    return (_HTTP_ONLY if cookie.http_only else "") + "\t".join(parts) + "\n"
