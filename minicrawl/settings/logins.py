"""The settings by which a crawl logs in, a group of groups.py."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minicrawl.errors import SettingError
from minicrawl.settings import values
from minicrawl.settings.requests import HOST
from minicrawl.settings.setting import setting
from minicrawl.settings.values import option, several, text

_LOGIN = re.compile(rf"(?:({HOST})=)?([^:]*):(.*)", re.IGNORECASE)
_HIDDEN = "***"


@dataclass(frozen=True)
class Login:
    """A name and password (RFC 7617). `host`: whose they are, as that of a Header; None: the origins of the seeds."""

    name: str
    password: str
    host: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Login":
        """Read "NAME:PASSWORD" or "HOST=NAME:PASSWORD". Raises SettingError, which does not repeat the password."""
        match = _LOGIN.fullmatch(text)
        if match is None or not all(char.isprintable() for char in text):
            raise SettingError("--auth takes HOST=NAME:PASSWORD in one line, and what is given is no such thing")
        return cls(match[2], match[3], match[1])

    def __str__(self) -> str:
        """What may be shown of it: neither name nor password."""
        return f"{self.host}={_HIDDEN}" if self.host else _HIDDEN


def is_hidden(login: str) -> bool:
    """Whether that is what is shown of a login, as the store keeps it."""
    return login.rpartition("=")[2] == _HIDDEN


def _logins(name: str, given: Any) -> tuple[str, ...]:
    """Logins; @FILE stands for those in a file, one a line."""
    found: list[str] = []
    for one in several(name, given):
        found += _lines(one[1:]) if text(name, one).startswith("@") else [one]
    return tuple(found)


def _lines(path: str) -> list[str]:
    try:
        return [line for line in Path(path).read_text("utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        problem = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise SettingError(f"--auth @{path}: the file cannot be read: {problem}") from error


def _are_logins(_: str, logins: Any) -> None:
    for login in logins:
        if not is_hidden(login):
            Login.parse(login)


def _is_file(name: str, path: Any) -> None:
    if not path.is_file():
        raise SettingError(f"{option(name)} {path} is no file; name one that can be read")


def _is_no_folder(name: str, path: Any) -> None:
    if path.is_dir() or not path.parent.is_dir():
        problem = "is a folder" if path.is_dir() else "is in no folder that there is"
        raise SettingError(f"{option(name)} {path} {problem}; name a file of cookies, or one that is to be made")


def _shown(logins: Any) -> tuple[str, ...]:
    return tuple(login if is_hidden(login) else str(Login.parse(login)) for login in logins)


@dataclass(frozen=True)
class Logins:
    """What hosts are shown to let the crawl in."""

    auth: tuple[str, ...] = setting(
        (),
        _logins,
        "Log in at HOST by name and password (basic authentication): at https://HOST, and at seeds of that name; "
        "http://HOST and other ports are to be written out. Without HOST, at the origins of the seeds. @FILE reads one "
        "a line. Never sent to another origin; not kept in the store. Repeatable.",
        check=_are_logins,
        metavar="[HOST=]NAME:PASSWORD",
        hide=_shown,
    )
    netrc: bool = setting(
        False,
        values.flag,
        "Log in by the names and passwords of ~/.netrc, or of the file that NETRC names: at https://MACHINE, and at "
        "seeds of that name.",
    )
    netrc_file: Path | None = setting(
        None,
        values.file,
        "Log in by the names and passwords of this file, as --netrc does.",
        check=_is_file,
        metavar="FILE",
    )
    cookies: bool = setting(
        False,
        values.flag,
        "Take cookies, and send them to the hosts that they are for. They are kept in the store, in the clear: nobody "
        "but you may read it then.",
    )
    cookie_file: Path | None = setting(
        None,
        values.file,
        "Take cookies, as --cookies does, beginning with those in this file in the format of Netscape; written at the "
        "end of every run.",
        check=_is_no_folder,
        metavar="FILE",
    )
