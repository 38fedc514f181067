"""Names and passwords as the headers that carry them (RFC 7617): of --auth, and of netrc files.

A netrc file names machines, not origins: its entries are for hosts by name, as a header for a HOST without scheme and
port is, see places.py. Its entry `default` is for nobody in particular, so it is sent to nobody.
"""

import os
from base64 import b64encode
from pathlib import Path

from minicrawl.crawler.http.logins.netrc_file import NetrcError, read_netrc
from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings, Header, Login

AUTHORIZATION = "Authorization"


def password_headers(settings: CrawlSettings) -> list[Header]:
    """The headers for all hosts that the user has a password for; of two for an origin the first counts.

    Raises SettingError for a netrc file that cannot be read.
    """
    logins = list(settings.logins)
    if settings.netrc_file is not None:
        logins += _of_netrc("--netrc-file", settings.netrc_file)
    if settings.netrc:
        logins += _of_netrc("--netrc", Path(os.environ.get("NETRC") or "~/.netrc").expanduser())
    return [Header(AUTHORIZATION, _basic(login), login.host) for login in logins]


def _of_netrc(option: str, path: Path) -> list[Login]:
    try:
        entries = read_netrc(path.read_text("utf-8"))
    except NetrcError as error:
        raise SettingError(f"{option}: {path}, {error}") from error
    except UnicodeDecodeError as error:
        raise SettingError(f"{option}: {path} is not UTF-8 text") from error
    except OSError as error:
        raise SettingError(f"{option}: {path} cannot be read: {error.strerror}") from error
    return [
        Login(name, password, f"[{machine}]" if ":" in machine else machine)
        for machine, name, password in entries
        if machine is not None
    ]


def _basic(login: Login) -> str:
    return "Basic " + b64encode(f"{login.name}:{login.password}".encode()).decode()
