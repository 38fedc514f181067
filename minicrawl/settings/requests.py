"""Contents and routes of requests: headers, contact, logins, certificates, routes, proxies."""

import re
from base64 import b64encode
from typing import Any  # Any: settings as given

from minicrawl.errors import SettingError, quoted
from minicrawl.setting import Kind, option, parsed, read_text
from minicrawl.web.http.header import HOST, Header, is_header_value
from minicrawl.web.net.routes import ConnectTo, ProxyRule

_ADDRESS = re.compile(r"[^\s@<>()]+@[^\s@<>()]+\.[^\s@<>()]+")
_PAGE = re.compile(r"https?://[^\s()<>]+", re.IGNORECASE)


def is_mail_address(contact: str) -> bool:
    """True if a contact is a mail address, not the URL of a page."""
    return _ADDRESS.fullmatch(contact) is not None


PROXIES = parsed("[PATTERN=]URL", ProxyRule, ProxyRule.parse)
HEADERS = parsed("'[HOST=]NAME: VALUE'", Header, Header.parse)
ROUTES = parsed("HOST:PORT:ADDR:PORT", ConnectTo, ConnectTo.parse, takes_files=True)


def _read_user_agent(name: str, given: Any) -> str:
    value = read_text(name, given)
    if not value.strip() or not is_header_value(value):
        raise SettingError(f"{option(name)} must be one line of Latin-1 text, not {quoted(value)}")
    return value


def _read_contact(name: str, given: Any) -> str:
    value = read_text(name, given)
    if value and not (value.isascii() and value.isprintable() and (is_mail_address(value) or _PAGE.fullmatch(value))):
        raise SettingError(
            f"{option(name)} must be an address such as me@example.org, or the URL of a page about the crawl, "
            f"not {quoted(value)}"
        )
    return value


NAME: Kind = {"read": _read_user_agent, "metavar": "NAME"}
CONTACT: Kind = {"read": _read_contact, "metavar": "ADDRESS|URL"}


_LOGIN = re.compile(rf"(?:({HOST})=)?([^:]*):(.*)", re.IGNORECASE)
AUTHORIZATION, _HIDDEN = "Authorization", "***"


def login_of(text: str) -> Header:
    """Read "NAME:PASSWORD" or "HOST=NAME:PASSWORD", as the header that logs in (RFC 7617); or a hidden login.

    Raises SettingError, which does not repeat the password.
    """
    if is_hidden(text):
        return Header(AUTHORIZATION, _HIDDEN, text.rpartition("=")[0] or None)
    match = _LOGIN.fullmatch(text)
    if match is None or not all(char.isprintable() for char in text):
        raise SettingError("--auth takes HOST=NAME:PASSWORD in one line, not what was given")
    return Header(AUTHORIZATION, f"Basic {b64encode(f'{match[2]}:{match[3]}'.encode()).decode()}", match[1])


def is_hidden(login: str) -> bool:
    """True if a login has its name and password hidden, as in the store."""
    return login.rpartition("=")[2] == _HIDDEN


LOGINS = parsed(
    "[HOST=]NAME:PASSWORD",
    Header,
    login_of,
    lambda login: f"{login.host}={_HIDDEN}" if login.host else _HIDDEN,
    takes_files=True,
)
