"""Where requests go instead of where their URLs say: other addresses, and proxies."""

import re

from msgspec import Struct

from minicrawl.errors import HIDDEN, SettingError, quoted


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
