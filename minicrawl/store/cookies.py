"""Cookies in the store. They are unencrypted, so only its user may read a store that has any."""

import os
from pathlib import Path
from typing import Annotated, NamedTuple

from minicrawl.errors import StoreError
from minicrawl.store.database import logs, real_path
from minicrawl.store.declaration import Time, table

_PRIVATE = 0o600


class CookieRow(NamedTuple):
    """A cookie."""

    domain: Annotated[str, "host, or domain with all hosts below it"]
    path: str
    name: str
    value: str
    host_only: Annotated[int, "1: for the host alone"]
    secure: Annotated[int, "1: over https alone"]
    http_only: int
    expires: Annotated[Time | None, "NULL: without an end"]
    created: Annotated[Time, "it was first set then"]
    changed: Annotated[Time, "it was set last then"]


table("cookies", "cookies of hosts, with --cookies, in the clear", CookieRow, keys="domain path name")


def keep_private(path: Path) -> None:
    """Make a store and its log, and so their copies, readable by the user only. Raises StoreError."""
    store = real_path(path)
    for file in filter(Path.exists, (store, *logs(store))):
        mode = file.stat().st_mode & 0o777
        try:
            if mode & ~_PRIVATE:
                os.chmod(file, mode & _PRIVATE)
        except OSError as error:
            raise StoreError(
                f"{file} holds cookies, which others must not read, but cannot be made private: "
                f"{error.strerror}; use another --store"
            ) from error
