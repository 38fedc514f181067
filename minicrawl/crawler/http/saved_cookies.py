"""Cookies that outlast a run: in the store, with its commits, and in the user's cookie file, written at the end.

Where both have a cookie, the newer one counts. The file is in Netscape's format, as browsers' add-ons, curl and wget
read and write it. A line is a cookie, its parts separated by tabs:

    domain   include subdomains (TRUE, FALSE)   path   Secure (TRUE, FALSE)   expires, 0 = never   name   value

`#HttpOnly_` before the domain means HttpOnly; other lines that begin with # are comments.
"""

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from minicrawl import log
from minicrawl.crawler.http.cookies import Cookie, CookieJar
from minicrawl.crawler.urls.keys import hostname
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.errors import SettingError
from minicrawl.store.cookies import CookieRow, keep_private
from minicrawl.store.writer import Writer

_HTTP_ONLY = "#HttpOnly_"
_HEAD = "# Netscape HTTP Cookie File\n# Written by minicrawl. Whoever has these cookies is logged in as you.\n\n"


def read_cookie_file(path: Path) -> list[Cookie]:
    """The cookies of a file, dated by its time of change; none if there is no file. Raises SettingError."""
    try:
        changed = path.stat().st_mtime
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise SettingError(f"--cookie-file {path} is not UTF-8 text") from error
    except OSError as error:
        raise SettingError(f"--cookie-file {path} cannot be read: {error.strerror}") from error
    if text.lstrip().startswith(("[", "{")):
        raise SettingError(f"--cookie-file {path} is JSON; let your browser's add-on write it in Netscape's format")
    lines = [line for line in text.splitlines() if line.strip() and (line[0] != "#" or line.startswith(_HTTP_ONLY))]
    numbers = {line: number for number, line in reversed(list(enumerate(text.splitlines(), 1)))}
    found = []
    for line in lines:
        cookie = _parsed(line, changed)
        if cookie is None:
            raise SettingError(
                f"--cookie-file {path}, line {numbers[line]}: not a cookie: seven parts divided by tabs, the "
                "fifth a time in seconds"
            )
        found.append(cookie)
    return found


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
    return Cookie(
        hostname(url),
        path,
        name,
        value,
        has_hosts_below.upper() != "TRUE",
        secure.upper() == "TRUE",
        line.startswith(_HTTP_ONLY),
        until if until > 0 else None,
        changed,
        changed,
    )


def write_cookie_file(path: Path, cookies: Iterable[Cookie]) -> None:
    """Write a file that only the user may read. It appears complete or not at all. Raises OSError."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(_HEAD)
            file.writelines(map(_line, cookies))
        unfinished.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            unfinished.unlink()


def _line(cookie: Cookie) -> str:
    domain = cookie.domain if cookie.host_only else f".{cookie.domain}"
    flags = ("FALSE" if cookie.host_only else "TRUE", cookie.path, "TRUE" if cookie.secure else "FALSE")
    parts = (domain, *flags, str(int(cookie.expires or 0)), cookie.name, cookie.value)
    return (_HTTP_ONLY if cookie.http_only else "") + "\t".join(parts) + "\n"


class KeptCookies:
    """A cookie jar that is saved in the store.

    Invariant: after a commit the store has the cookies of the jar, and only the user may read it.
    """

    def __init__(self, writer: Writer, file: Path | None, is_own: Callable[[str], bool] = lambda host: True) -> None:
        """file: the user's, read now and written by `end`. is_own: True for hosts whose cookies are for this store, as
        the file may have others. Raises SettingError, StoreError.
        """
        self.jar = CookieJar()
        self._file = file
        keep_private(writer.path)
        for row in writer.cookies():
            self.jar.add(Cookie._make(row))
        self.jar.take_touched()
        now = time.time()
        for cookie in read_cookie_file(file) if file is not None else ():
            kept = self.jar.get(cookie.key)
            if is_own(cookie.domain) and cookie.is_alive(now) and (kept is None or kept.changed < cookie.changed):
                self.jar.add(cookie)

    def save(self, writer: Writer) -> None:
        """Save the cookies that changed since the last commit."""
        touched = self.jar.take_touched()
        if touched:
            found = {key: self.jar.get(key) for key in touched}
            writer.remove(CookieRow, (key for key, cookie in found.items() if cookie is None))
            writer.put(CookieRow, (cookie for cookie in found.values() if cookie is not None))

    def end(self) -> None:
        """Write the user's file at the end of a run."""
        if self._file is not None:
            write_rows(self._file, self.jar)

    def rows(self) -> list[CookieRow]:
        """The cookies for the user's file."""
        return list(self.jar)


def write_rows(file: Path, rows: Iterable[CookieRow]) -> None:
    """Write the user's file from the rows of a jar, or of several."""
    try:
        write_cookie_file(file, map(Cookie._make, rows))
    except OSError as error:
        log.event("cookie-file-unwritten", file=str(file), why=error.strerror)
