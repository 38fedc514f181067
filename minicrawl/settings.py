"""What a user can set: one frozen value, its defaults, and what is allowed, in whole sentences."""

import json
import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from minicrawl.errors import SettingError

STRATEGY_NAMES = ("greedy", "opic", "random", "cycle", "breadth-first")
RANKINGS = ("importance", "history", "cash", "inlinks")
SCOPES = ("any", "site", "host", "prefix")
DEFAULT_STORE = Path("data/crawl.db")
USER_AGENT = "minicrawl/0.1"

# Not written to the store: what may hold a password, and what only this machine understands.
_SECRET = frozenset({"header", "headers", "proxy", "connect_to", "ca_file"})
_UNITS_OF_TIME = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_UNITS_OF_SIZE = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
}


def parse_duration(text: str) -> float:
    """Seconds in "90", "90s", "30m", "2h" or "1d". Raises SettingError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd]?)", text.strip().lower())
    if match is None:
        raise SettingError(f"a time is a number with s, m, h or d behind it, such as 30m, not {text!r}")
    return float(match[1]) * _UNITS_OF_TIME[match[2] or "s"]


def parse_size(text: str) -> int:
    """Bytes in "5000", "64MB" (10**6) or "64MiB" (2**20). Raises SettingError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]I?B|B?)", text.strip().upper())
    if match is None:
        raise SettingError(f"a size is a number with B, KB, MB or GB behind it, such as 2GB, not {text!r}")
    return int(float(match[1]) * _UNITS_OF_SIZE[match[2]])


@dataclass(frozen=True)
class ConnectTo:
    """Requests for `host:port` go to `address:to_port`; None matches any, an empty address keeps the host."""

    host: str | None
    port: int | None
    address: str
    to_port: int | None

    @classmethod
    def parse(cls, text: str) -> "ConnectTo":
        """Read curl's HOST:PORT:ADDR:PORT, each part possibly empty, IPv6 addresses in brackets."""
        match = re.fullmatch(r"(\[[^\]]*\]|[^:]*):(\d*):(\[[^\]]*\]|[^:]*):(\d*)", text.strip())
        if match is None:
            raise SettingError(f"--connect-to takes HOST:PORT:ADDR:PORT, not {text!r}")
        host, port, address, to_port = match.groups()
        if any(int(number or 0) > 65535 for number in (port, to_port)):
            raise SettingError(f"--connect-to {text!r} has a port above 65535")
        return cls(
            host.strip("[]").lower() or None,
            int(port) if port else None,
            address.strip("[]"),
            int(to_port) if to_port else None,
        )


@dataclass(frozen=True)
class CrawlSettings:
    """Everything a crawl can be told. Raises SettingError when a value cannot be meant."""

    # When to stop; None: when nothing is left to fetch.
    pages: int | None = None
    time: float | None = None
    bytes: int | None = None
    until_coverage: float | None = None
    # Which links are followed.
    scope: str = "any"
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    max_depth: int | None = None
    html_only: bool = False
    keep_parameters: bool = False
    traps: bool = True
    sitemaps: bool = True
    probe: bool = True
    merge_duplicates: bool = False
    # Politeness.
    delay: float = 1.0
    ip_delay: float | None = None
    per_host: int = 1
    concurrency: int = 64
    workers: int = 0
    # Which page next, and what is remembered of it.
    strategy: str = "greedy"
    history: str = "interpolation"
    window: float = 8.0
    discovery: float = 1.0
    # Focus.
    boost: tuple[str, ...] = ()
    topic: str = ""
    intrinsic_weight: float = 1.0
    # Who we say we are, and how we connect.
    user_agent: str = USER_AGENT
    header: tuple[str, ...] = ()
    proxy: str | None = None
    ignore_robots: bool = False
    connect_to: tuple[ConnectTo, ...] = ()
    ca_file: Path | None = None
    allow_private: bool = False
    # Bounds of one request.
    timeout: float = 60.0
    max_size: int = 16 * 10**6
    headers: tuple[tuple[str, str], ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        self._at_least("pages", 1)
        self._at_least("bytes", 1)
        self._at_least("max_depth", 0)
        self._at_least("delay", 0)
        self._at_least("ip_delay", 0)
        self._at_least("per_host", 1)
        self._at_least("concurrency", 1)
        self._at_least("workers", 0)
        self._at_least("max_size", 1)
        self._more_than("time", 0)
        self._more_than("timeout", 0)
        self._more_than("window", 0)
        self._more_than("intrinsic_weight", 0)
        self._share("until_coverage")
        self._share("discovery")
        self._one_of("scope", SCOPES)
        self._one_of("strategy", STRATEGY_NAMES)
        for name in ("allow", "deny"):
            for pattern in getattr(self, name):
                compiled(pattern, name)
        for boost in self.boost:
            parse_boost(boost)
        if self.ca_file is not None and not self.ca_file.is_file():
            raise SettingError(f"--ca-file {self.ca_file} is no file; name a PEM file that can be read")
        if not self.user_agent.strip() or not _is_header_value(self.user_agent):
            raise SettingError(f"--user-agent must be one line of Latin-1 text, not {self.user_agent!r}")
        if self.proxy is not None and not re.match(r"https?://[^/\s]+", self.proxy):
            raise SettingError(f"--proxy takes the URL of an HTTP proxy, http://host:port, not {self.proxy!r}")
        object.__setattr__(self, "headers", tuple(_header(line) for line in self.header))

    def to_json(self) -> str:
        """The settings as the store keeps them, to explain later what a crawl did."""
        kept = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in _SECRET}
        return json.dumps(kept, default=str)

    @property
    def delay_per_address(self) -> float:
        """Seconds between two requests to one IP address; 0 = addresses have no clock."""
        return self.delay if self.ip_delay is None else self.ip_delay

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> "CrawlSettings":
        """Settings as far as the store keeps them."""
        known: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()
        }
        return cls(**known)

    def _at_least(self, name: str, least: float) -> None:
        value = getattr(self, name)
        if value is not None and not value >= least:
            raise SettingError(f"{option(name)} must be at least {least}, not {value}")

    def _more_than(self, name: str, bound: float) -> None:
        value = getattr(self, name)
        if value is not None and not value > bound:
            raise SettingError(f"{option(name)} must be more than {bound}, not {value}")

    def _share(self, name: str) -> None:
        value = getattr(self, name)
        if value is not None and not 0 <= value <= 1:
            raise SettingError(f"{option(name)} is a share from 0 to 1, not {value}")

    def _one_of(self, name: str, allowed: tuple[str, ...]) -> None:
        value: Any = getattr(self, name)
        if value not in allowed:
            raise SettingError(f"{option(name)} is one of {', '.join(allowed)}, not {value!r}")


def option(name: str) -> str:
    """The command-line spelling of a setting."""
    return "--" + name.replace("_", "-")


def compiled(pattern: str, name: str) -> re.Pattern[str]:
    """The compiled regular expression; raises SettingError that names the option it came from."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise SettingError(f"{option(name)} {pattern!r} is no regular expression: {error}") from error


def parse_boost(text: str) -> tuple[re.Pattern[str], float]:
    """REGEX=FACTOR: the pattern and the positive factor; the last '=' divides them. Raises SettingError."""
    pattern, divider, factor = text.rpartition("=")
    try:
        value = float(factor)
    except ValueError:
        value = 0.0
    if not divider or not 0 < value <= 1000:
        raise SettingError(f"--boost takes REGEX=FACTOR with a factor from above 0 to 1000, not {text!r}")
    return compiled(pattern, "boost"), value


def _is_header_value(text: str) -> bool:
    """Whether a text can stand in a header field (RFC 9110 5.5)."""
    return all(char == "\t" or " " <= char <= "~" or "\xa0" <= char <= "\xff" for char in text)


def _header(line: str) -> tuple[str, str]:
    name, divider, value = line.partition(":")
    if not divider or not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or not _is_header_value(value):
        raise SettingError(f"--header takes 'Name: value' in one line, not {line!r}")
    return name, value.strip()
