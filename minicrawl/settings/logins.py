"""The settings by which a crawl logs in, a group of groups.py."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any  # Any: settings as given

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


@dataclass(frozen=True)
class ClientCertificate:
    """A certificate of ours, and its key if that is in another file. `host`: as that of a Header."""

    file: Path
    key: Path | None = None
    host: str | None = None

    @classmethod
    def parse(cls, text: str) -> "ClientCertificate":
        """Read "[HOST=]FILE" or "[HOST=]FILE,KEY"."""
        match = re.fullmatch(rf"(?:({HOST})=)?([^,]+)(?:,(.+))?", text, re.IGNORECASE)
        if match is None:
            raise SettingError(f"--client-cert takes HOST=FILE or HOST=FILE,KEY, not {text!r}")
        return cls(Path(match[2]).absolute(), Path(match[3]).absolute() if match[3] else None, match[1])

    def __str__(self) -> str:
        files = f"{self.file},{self.key}" if self.key else str(self.file)
        return f"{self.host}={files}" if self.host else files


def _certificates(name: str, given: Any) -> tuple[str, ...]:
    """Certificates, with paths from the root: another run may be in another folder."""
    return tuple(str(ClientCertificate.parse(text(name, one))) for one in several(name, given))


def _are_there(name: str, given: Any) -> None:
    for one in map(ClientCertificate.parse, given):
        if (one.host or "").lower().startswith("http://"):
            raise SettingError(f"{option(name)} {one}: a certificate is for https; write the host without http://")
        for file in filter(None, (one.file, one.key)):
            _is_file(name, file)


def is_hidden(login: str) -> bool:
    """Whether that is what is shown of a login, as the store keeps it."""
    return login.rpartition("=")[2] == _HIDDEN


def _logins(name: str, given: Any) -> tuple[str, ...]:
    """Logins; @FILE stands for those in a file, one a line."""
    found: list[str] = []
    for one in several(name, given):
        if text(name, one).startswith("@"):
            found += [line for line in values.text_of_file(name, one[1:]).splitlines() if line.strip()]
        else:
            found.append(one)
    return tuple(found)


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
    """Passwords, certificates and cookies for hosts."""

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
    client_cert: tuple[str, ...] = setting(
        (),
        _certificates,
        "Show HOST this certificate if it asks for one, with its key in the same PEM file or in another: "
        "at https://HOST, and at seeds of that name. Without HOST, at the seeds. Repeatable.",
        check=_are_there,
        metavar="[HOST=]FILE[,KEY]",
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
