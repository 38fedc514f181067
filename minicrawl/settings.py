"""What a user can set: one frozen value, its defaults, and what is allowed, in whole sentences."""

import difflib
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from numbers import Real
from pathlib import Path
from typing import Any

from minicrawl.errors import SettingError

STRATEGY_NAMES = ("greedy", "opic", "random", "cycle", "breadth-first")
RANKINGS = ("importance", "history", "cash", "inlinks")
SCOPES = ("any", "site", "host", "prefix")
DEFAULT_STORE = Path("data/crawl.db")
USER_AGENT = "minicrawl/0.1"

_Reader = Callable[[str, Any], Any]

HIDDEN = "***@"  # in place of what a proxy is told to let us in
# Names of headers that say who we are, to those who may know: Authorization, Cookie, X-Api-Key, X-CSRF-Token ...
_SECRET_NAME = re.compile(r"auth|cookie|token|key|secret|passw|session|credential|signature", re.IGNORECASE)
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

    def __str__(self) -> str:
        """The same as `parse` reads it."""
        host, address = (f"[{part}]" if ":" in part else part for part in (self.host or "", self.address))
        return f"{host}:{self.port or ''}:{address}:{self.to_port or ''}"


@dataclass(frozen=True)
class Header:
    """A header that requests carry.

    `host`: whom it is for, as NAME, NAME:PORT or scheme://NAME[:PORT]; None: everybody, or the origins of the seeds
    if it is secret.
    """

    name: str
    value: str
    host: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Header":
        """Read "Name: value" or "HOST=Name: value". Raises SettingError."""
        match = re.fullmatch(
            r"(?:((?:https?://)?(?:\[[0-9a-f:.]+\]|[^\s=:/]+)(?::\d+)?)=)?([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)",
            text,
            re.IGNORECASE | re.DOTALL,
        )
        if match is None or not _is_header_value(match[3]):
            raise SettingError(f"--header takes 'Name: value' in one line, not {text!r}")
        return cls(match[2], match[3].strip(), match[1])

    @property
    def is_secret(self) -> bool:
        """Whether its name says that it is not for everybody."""
        return _SECRET_NAME.search(self.name) is not None

    def __str__(self) -> str:
        """What may be told of it: not its value."""
        return f"{self.host}={self.name}" if self.host else self.name


@dataclass(frozen=True)
class CrawlSettings:
    """Everything a crawl can be told. Raises SettingError when a value cannot be meant.

    Texts are taken where the command line takes them: time="30m", bytes="2GB", until_coverage="90%", delay="1s",
    connect_to="::127.0.0.1:8080", ca_file="ca.pem"; and one text where there may be several.
    """

    # When to stop; None: when nothing is left to fetch.
    pages: int | None = None
    time: float | None = None
    bytes: int | None = None
    until_coverage: float | None = None
    # Reasons for which pages were given up that are asked for again, see minicrawl.crawler.outcomes.retry.
    retry: tuple[str, ...] = ()
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
    headers: tuple[Header, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        for name, read in READERS.items():
            object.__setattr__(self, name, read(name, getattr(self, name)))
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
        object.__setattr__(self, "headers", tuple(Header.parse(line) for line in self.header))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "CrawlSettings":
        """Settings by name. Raises SettingError, also for a name that no setting has."""
        for name in given:
            if name not in SETTINGS:
                close = difflib.get_close_matches(name, SETTINGS, 1)
                hint = f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(SETTINGS)}"
                raise SettingError(f"no setting is called {name!r}{hint}")
        return cls(**given)

    def to_json(self) -> str:
        """The settings as the store keeps them: to explain later what a crawl did, and to go on with.

        Headers are not among them, nor what a proxy is told to let us in: they may be secret.
        """
        kept = {name: getattr(self, name) for name in SETTINGS if name != "header"}
        kept["connect_to"] = [str(rule) for rule in self.connect_to]
        kept["ca_file"] = self.ca_file and str(self.ca_file)
        kept["proxy"] = shown_proxy(self.proxy)
        return json.dumps(kept)

    @property
    def delay_per_address(self) -> float:
        """Seconds between two requests to one IP address; 0 = addresses have no clock."""
        return self.delay if self.ip_delay is None else self.ip_delay

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "CrawlSettings":
        """Settings as the store keeps them, to explain what a crawl did; its file of certificates may have gone."""
        return cls(**{name: value for name, value in kept.items() if name in SETTINGS and name != "ca_file"})

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


def shown_proxy(proxy: str | None) -> str | None:
    """The URL of a proxy without name and password."""
    return proxy and re.sub(r"(?<=//)[^/]*@", HIDDEN, proxy)


# What a setting may be given as. Whether a value is in its bounds is looked at later.


def _flag(name: str, given: Any) -> bool:
    if not isinstance(given, bool):
        raise SettingError(f"{option(name)} is True or False, not {given!r}")
    return given


def _number(name: str, given: Any) -> Any:
    if isinstance(given, bool) or not isinstance(given, Real | str):
        raise SettingError(f"{option(name)} is a number, not {given!r}")
    try:
        return float(given) if isinstance(given, str) else given
    except ValueError:
        raise SettingError(f"{option(name)} is a number, not {given!r}") from None


def _whole(name: str, given: Any) -> Any:
    number = _number(name, given)
    if math.isnan(number):
        return number
    if math.isinf(number) or number != int(number):
        raise SettingError(f"{option(name)} is a whole number, not {given!r}")
    return int(number)


def _time(name: str, given: Any) -> Any:
    try:
        return _number(name, given)
    except SettingError:
        if not isinstance(given, str):
            raise
    return _in_option(name, parse_duration, given)


def _size(name: str, given: Any) -> Any:
    return _in_option(name, parse_size, given) if isinstance(given, str) else _whole(name, given)


def _portion(name: str, given: Any) -> Any:
    if isinstance(given, str) and given.strip().endswith("%"):
        return _number(name, given.strip()[:-1]) / 100
    return _number(name, given)


def _text(name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise SettingError(f"{option(name)} is a text, not {given!r}")
    return given


def _several(name: str, given: Any) -> tuple[Any, ...]:
    """One value where there may be several counts as a list of one."""
    if isinstance(given, str | ConnectTo):
        return (given,)
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise SettingError(f"{option(name)} is a text or a list of texts, not {given!r}")
    return tuple(given)


def _texts(name: str, given: Any) -> tuple[str, ...]:
    return tuple(_text(name, one) for one in _several(name, given))


def _codes(name: str, given: Any) -> tuple[str, ...]:
    return tuple(code.strip() for text in _texts(name, given) for code in text.split(",") if code.strip())


def _rules(name: str, given: Any) -> tuple[ConnectTo, ...]:
    """The rules of --connect-to; @FILE stands for those in a file, one a line."""
    rules: list[ConnectTo] = []
    for one in _several(name, given):
        if isinstance(one, ConnectTo):
            rules.append(one)
        elif _text(name, one).startswith("@"):
            rules += map(ConnectTo.parse, _words(one))
        else:
            rules.append(ConnectTo.parse(one))
    return tuple(rules)


def _words(at_file: str) -> list[str]:
    try:
        return Path(at_file[1:]).read_text("utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise SettingError(f"--connect-to {at_file}: the file cannot be read: {told}") from error


def _path(name: str, given: Any) -> Path:
    if not isinstance(given, str | os.PathLike):
        raise SettingError(f"{option(name)} is the path of a file, not {given!r}")
    return Path(given).absolute()


def _in_option(name: str, parse: Callable[[str], Any], text: str) -> Any:
    """What a text says, with the option's name before the sentence that says what is wrong with it."""
    try:
        return parse(text)
    except SettingError as error:
        raise SettingError(f"{option(name)}: {error}") from error


def _or_none(read: _Reader) -> _Reader:
    return lambda name, given: None if given is None else read(name, given)


READERS: dict[str, _Reader] = {
    **dict.fromkeys(("pages", "max_depth"), _or_none(_whole)),
    **dict.fromkeys(("per_host", "concurrency", "workers"), _whole),
    **dict.fromkeys(("time", "ip_delay"), _or_none(_time)),
    **dict.fromkeys(("delay", "timeout"), _time),
    "bytes": _or_none(_size),
    "max_size": _size,
    "until_coverage": _or_none(_portion),
    "discovery": _portion,
    **dict.fromkeys(("window", "intrinsic_weight"), _number),
    **dict.fromkeys(("scope", "strategy", "history", "topic", "user_agent"), _text),
    "proxy": _or_none(_text),
    **dict.fromkeys(("allow", "deny", "boost", "header"), _texts),
    "retry": _codes,
    "connect_to": _rules,
    "ca_file": _or_none(_path),
    **dict.fromkeys(("html_only", "keep_parameters", "traps", "sitemaps", "probe", "merge_duplicates"), _flag),
    **dict.fromkeys(("ignore_robots", "allow_private"), _flag),
}
"""What makes a setting of what is given, by its name. Raises SettingError."""


SETTINGS = tuple(field.name for field in fields(CrawlSettings) if field.init)
"""The names of all settings."""
