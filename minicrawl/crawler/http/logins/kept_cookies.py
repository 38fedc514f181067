"""The cookies of a crawl, kept from run to run: in the store, with its commits, and in the user's file, at its end.

Of the two the one that is newer counts, cookie by cookie.
"""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from minicrawl import log
from minicrawl.crawler.http.logins.cookie_file import read_cookie_file, write_cookie_file
from minicrawl.crawler.http.logins.cookie_jar import Cookie, CookieJar
from minicrawl.store.write.cookie_rows import CookieRow
from minicrawl.store.writer import Writer


class KeptCookies:
    """A jar that the store keeps.

    Invariant: after a commit the store has the cookies of the jar, and nobody but the user may read it.
    """

    def __init__(self, writer: Writer, file: Path | None, is_own: Callable[[str], bool] = lambda host: True) -> None:
        """file: one in the format of Netscape, read now and written by `end`. is_own: whether cookies of a host are for
        this store; the file may have others. Raises SettingError, StoreError.
        """
        self.jar = CookieJar()
        self._file = file
        writer.cookie_rows.keep_private()
        for row in writer.cookie_rows.all():
            self.jar.add(_cookie(row))
        self.jar.take_touched()
        now = time.time()
        for cookie in read_cookie_file(file) if file is not None else ():
            kept = self.jar.get(cookie.key)
            if is_own(cookie.domain) and cookie.is_alive(now) and (kept is None or kept.changed < cookie.changed):
                self.jar.add(cookie)

    def save(self, writer: Writer) -> None:
        """Write what has changed since the last commit."""
        touched = self.jar.take_touched()
        if touched:
            found = {key: self.jar.get(key) for key in touched}
            writer.cookie_rows.forget(key for key, cookie in found.items() if cookie is None)
            writer.cookie_rows.save(_row(cookie) for cookie in found.values() if cookie is not None)

    def end(self) -> None:
        """The run is over: write the user's file."""
        if self._file is not None:
            _write(self._file, self.jar)

    def rows(self) -> list[CookieRow]:
        """Those that are to be in the user's file."""
        return list(map(_row, self.jar))


def write_rows(file: Path, rows: Iterable[CookieRow]) -> None:
    """Write the user's file: what several jars have for it."""
    _write(file, map(_cookie, rows))


def _write(file: Path, cookies: Iterable[Cookie]) -> None:
    try:
        write_cookie_file(file, cookies)
    except OSError as error:
        log.cookie_file_unwritten(file=str(file), why=error.strerror)


def _cookie(row: CookieRow) -> Cookie:
    flags = bool(row.host_only), bool(row.secure), bool(row.http_only)
    return Cookie(row.domain, row.path, row.name, row.value, *flags, row.expires, row.created, row.changed)


def _row(cookie: Cookie) -> CookieRow:
    flags = int(cookie.is_host_only), int(cookie.is_secure), int(cookie.is_http_only)
    return CookieRow(*cookie.key, cookie.value, *flags, cookie.expires, cookie.created, cookie.changed)
