"""Cookie files in the format of Netscape, which browsers' add-ons, curl and wget read and write.

A line is a cookie, its parts divided by tabs:

    domain   all hosts below it, too (TRUE or FALSE)   path   Secure (TRUE or FALSE)   expires, 0 = never   name   value

`#HttpOnly_` before the domain says HttpOnly; any other line that begins with # is a comment.
"""

import contextlib
import math
import os
from collections.abc import Iterable
from pathlib import Path

from minicrawl.crawler.http.logins.cookie_jar import Cookie
from minicrawl.crawler.urls.keys import hostname
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.errors import SettingError

_HTTP_ONLY = "#HttpOnly_"
_HEAD = "# Netscape HTTP Cookie File\n# Written by minicrawl. Whoever has these cookies is logged in as you.\n\n"


def read_cookie_file(path: Path) -> list[Cookie]:
    """The cookies of a file, as of when it was written; none if there is no file. Raises SettingError."""
    try:
        changed = path.stat().st_mtime
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise SettingError(f"--cookie-file {path} is not UTF-8 text") from error
    except OSError as error:
        raise SettingError(f"--cookie-file {path} cannot be read: {error.strerror}") from error
    lines = [line for line in text.splitlines() if line.strip() and (line[0] != "#" or line.startswith(_HTTP_ONLY))]
    numbers = {line: number for number, line in reversed(list(enumerate(text.splitlines(), 1)))}
    found = []
    for line in lines:
        cookie = _parsed(line, changed)
        if cookie is None:
            raise SettingError(
                f"--cookie-file {path}, line {numbers[line]}: not the seven parts of a cookie, divided by tabs, "
                "of which the fifth is a time in seconds"
            )
        found.append(cookie)
    return found


def _parsed(line: str, changed: float) -> Cookie | None:
    parts = line.removeprefix(_HTTP_ONLY).split("\t")
    if len(parts) == 6:  # some programs leave the tab before an empty value out
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
    """Write all cookies, for nobody but the user to read. The file appears whole or not at all. Raises OSError."""
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
    domain = cookie.domain if cookie.is_host_only else f".{cookie.domain}"
    flags = ("FALSE" if cookie.is_host_only else "TRUE", cookie.path, "TRUE" if cookie.is_secure else "FALSE")
    parts = (domain, *flags, str(int(cookie.expires or 0)), cookie.name, cookie.value)
    return (_HTTP_ONLY if cookie.is_http_only else "") + "\t".join(parts) + "\n"
