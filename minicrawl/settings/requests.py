"""Contents and routes of requests: headers, contact, logins, certificates, routes, proxies."""

import re
from base64 import b64encode
from typing import Any  # Any: settings as given

from msgspec import Struct

from minicrawl.errors import HIDDEN, SettingError
from minicrawl.settings.values import Kind, option, parsed, quoted, read_text

# Names of headers that say what a client takes or prefers. Any other may carry a secret: X-JWT, X-Access-Code ...
_PUBLIC_NAMES = {
    *("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "dnt", "from", "pragma"),
    *("priority", "referer", "save-data", "sec-gpc", "te", "upgrade-insecure-requests", "user-agent", "via"),
}
EVERYBODY = "*"
_ADDRESS = re.compile(r"[^\s@<>()]+@[^\s@<>()]+\.[^\s@<>()]+")
HOST = r"(?:https?://)?(?:\[[0-9a-f:.]+\]|[^\s=:/]+)(?::\d+)?"  # NAME, NAME:PORT or scheme://NAME[:PORT]
_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HTTPS_ORIGIN = re.compile(rf"https://({_LABEL}(?:\.{_LABEL})*)(?::([1-9]\d{{0,4}}))?/?", re.IGNORECASE | re.ASCII)
_HTTPS_FILE = re.compile(r"(https://[^/]+)(/[\w.~%!$&'()*+,;=:@/?-]+)", re.IGNORECASE | re.ASCII)
_PAGE = re.compile(r"https?://[^\s()<>]+", re.IGNORECASE)


class ConnectTo(Struct, frozen=True):
    """Requests for `host:port` go to `address:to_port`; None matches any, an empty address keeps the host."""

    host: str | None
    port: int | None
    address: str
    to_port: int | None

    @classmethod
    def parse(cls, text: str) -> "ConnectTo":
        """Read curl's HOST:PORT:ADDR:PORT, each part possibly empty, IPv6 addresses in brackets."""
        match = re.fullmatch(r"(\[[^\]]*\]|[^:]*):(\d{0,9}):(\[[^\]]*\]|[^:]*):(\d{0,9})", text.strip())
        if match is None:
            raise SettingError(f"--connect-to takes HOST:PORT:ADDR:PORT, not {quoted(text)}")
        host, port, address, to_port = match.groups()
        if any(int(number or 0) > 65535 for number in (port, to_port)):
            raise SettingError(f"--connect-to {quoted(text)} has a port above 65535")
        return cls(
            host.strip("[]").lower() or None,
            int(port) if port else None,
            address.strip("[]"),
            int(to_port) if to_port else None,
        )

    def __str__(self) -> str:
        """The text that `parse` reads."""
        host, address = (f"[{part}]" if ":" in part else part for part in (self.host or "", self.address))
        return f"{host}:{self.port or ''}:{address}:{self.to_port or ''}"


class Header(Struct, frozen=True):
    """A header of requests.

    `host`: its recipient, as NAME, NAME:PORT or scheme://NAME[:PORT], or `EVERYBODY`; None: the origins of the seeds.
    """

    name: str
    value: str
    host: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Header":
        """Read "Name: value", with "HOST=" or "*=" before it or not.

        Raises SettingError, without the text, which may be secret.
        """
        match = re.fullmatch(rf"(?:({HOST}|\*)=)?([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)", text, re.IGNORECASE | re.DOTALL)
        if match is None or not _is_header_value(match[3]):
            raise SettingError("--header takes 'Name: value' in one line, not what was given")
        return cls(match[2], match[3].strip(), match[1])

    @property
    def is_secret(self) -> bool:
        """True if the header may carry a secret: it is not for everybody, nor known to be of no interest."""
        return self.host != EVERYBODY and self.name.lower() not in _PUBLIC_NAMES

    def __str__(self) -> str:
        """The header without its value, which may be secret."""
        return f"{self.host}={self.name}" if self.host else self.name


class ProxyRule(Struct, frozen=True):
    """Origins that match a pattern, NAME with * and ?, with scheme and port or not, go through the proxy at a URL.

    `pattern` None: all do; `url` None: they go directly.
    """

    pattern: str | None
    url: str | None

    @classmethod
    def parse(cls, text: str) -> "ProxyRule":
        """Read "URL" or "PATTERN=URL", where none may stand for URL. Raises SettingError."""
        match = _PROXY_RULE.fullmatch(text.strip())
        if match is None:
            raise SettingError(
                f"--proxy takes the URL of a proxy, http://host:port (or https, socks5, socks5h), or none, and PATTERN="
                f" before it for some hosts; not {shown_proxy(text)!r}"
            )
        return cls(match[1] and match[1].lower(), None if match[2].lower() == "none" else match[2])

    def __str__(self) -> str:
        """The rule without name and password."""
        shown = shown_proxy(self.url) or "none"
        return f"{self.pattern}={shown}" if self.pattern else shown


_PROXY_RULE = re.compile(r"(?:((?:https?://)?[^\s=/@]+)=)?(none|(?:https?|socks5h?)://[^\s/]+/?)", re.IGNORECASE)


def shown_proxy(proxy: str | None) -> str | None:
    """The URL of a proxy without name and password."""
    return proxy and re.sub(r"(?:(?<=//)|^)[^/]*@", HIDDEN, proxy)


def is_mail_address(contact: str) -> bool:
    """True if a contact is a mail address, not the URL of a page."""
    return _ADDRESS.fullmatch(contact) is not None


PROXIES = parsed("[PATTERN=]URL", ProxyRule, ProxyRule.parse)
HEADERS = parsed("'[HOST=]NAME: VALUE'", Header, Header.parse)
ROUTES = parsed("HOST:PORT:ADDR:PORT", ConnectTo, ConnectTo.parse, takes_files=True)


def _read_user_agent(name: str, given: Any) -> str:
    value = read_text(name, given)
    if not value.strip() or not _is_header_value(value):
        raise SettingError(f"{option(name)} must be one line of Latin-1 text, not {quoted(value)}")
    return value


def _read_contact(name: str, given: Any) -> str:
    value = read_text(name, given)
    if value and not (value.isascii() and value.isprintable() and (is_mail_address(value) or _PAGE.fullmatch(value))):
        raise SettingError(
            f"{option(name)} is an address such as me@example.org, or the URL of a page about the crawl, "
            f"not {quoted(value)}"
        )
    return value


NAME: Kind = {"read": _read_user_agent, "metavar": "NAME"}
CONTACT: Kind = {"read": _read_contact, "metavar": "ADDRESS|URL"}


def origin(name: str, given: Any) -> str:
    """An https origin as RFC 6454 6.2 spells it; "" if none is given."""
    if read_text(name, given) == "":
        return ""
    match = _HTTPS_ORIGIN.fullmatch(given)
    if match is None or int(match[2] or 0) > 65535:
        raise SettingError(f"{option(name)} is an https origin such as https://crawler.example, not {quoted(given)}")
    port = f":{match[2]}" if match[2] not in (None, "443") else ""
    return f"https://{match[1].lower()}{port}"


def _read_signature_agent(name: str, given: Any) -> str:
    """An https origin, or the URL of a file there, with its origin spelt as `origin` does."""
    match = _HTTPS_FILE.fullmatch(read_text(name, given))
    return origin(name, match[1]) + match[2] if match else origin(name, given)


SIGNATURE_AGENT: Kind = {"read": _read_signature_agent, "metavar": "URL"}


def _is_header_value(value: str) -> bool:
    """True if a text is a valid header value (RFC 9110 5.5)."""
    return all(char == "\t" or " " <= char <= "~" or "\xa0" <= char <= "\xff" for char in value)


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
