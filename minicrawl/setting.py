"""A setting, declared once where it is used, and kinds of settings: how their values are read and shown.

A kind is what settings have in common, by the names of fields of `Setting`. Its reader takes the name of the setting
and a given value, or its text as on the command line. It raises SettingError with one sentence that names the setting.
"""

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from fractions import Fraction
from numbers import Real
from pathlib import Path
from typing import Any  # Any: settings as given

from msgspec import Struct

from minicrawl.errors import SettingError, quoted, suggestion

Reader = Callable[[str, Any], Any]
Kind = Mapping[str, Any]

ONE_RUN, LIVE = "for one run", "adjustable"
"""Marks of settings: the next run of a crawl does not inherit it; it can change while a crawl runs."""
ALONE, AT_REFRESH = "not in partitions", "at a refresh"
"""Partitions do not support it; `minicrawl refresh` takes it, too."""
PACES, BOUNDS, FAVOURS = "paces hosts", "bounds the crawl", "favours pages"
"""What a change of the setting changes in a running crawl: the delays of hosts, the scope, the order of pages."""
ONE_MACHINE = "on one machine"
"""It does not work in partitions on several machines."""
REREADS = "pages are read again"
"""With another value pages have other links, or more is kept of them: a refresh takes no page as unchanged."""
ON_DASHBOARD = "on the dashboard"
"""A page of the dashboard may set it: it names no file, and holds no secret."""
_HOST = re.compile(r"[^\s/=@]+")
MOST_DELAY, MOST_SPAN = "30d", "36500d"


class Setting(Struct, frozen=True):
    """One setting. default: as a value; shown: the same as help has it.

    metavar: the option's argument; choices: the values allowed. most: the largest number allowed, as a user would write
    it. is_path: of a file, or of several. may_be_gone: a file that is there when it is given, and perhaps not when a
    crawl is explained. hide: removes secrets from a value.
    """

    name: str
    default: Any
    shown: Any
    meaning: str
    marks: tuple[str, ...]
    read: Reader
    most: str | None = None
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    is_path: bool = False
    may_be_gone: bool = False
    hide: Callable[[Any], Any] = lambda value: value

    def of(self, given: Any) -> Any:
        """Read a given value; None is read only where it is not the default. Raises SettingError."""
        return None if given is None and self.default is None else self.read(self.name, given)


def setting(default: Any, kind: Kind, meaning: str, *marks: str) -> Any:
    """A field of a group of settings. default: as a user would write it."""
    value = None if default is None else kind["read"]("default", default)
    return field(default=value, metadata={**kind, "shown": default, "meaning": meaning, "marks": marks})


def option(name: str) -> str:
    """The command-line spelling of a setting."""
    return "--" + name.replace("_", "-")


def kind_of(given: Any) -> str:
    """Name a value of a wrong type for messages. Contents of lists and tables are left out: they may be passwords."""
    if given is None or isinstance(given, Real | str):
        return quoted(given)
    return "a table" if isinstance(given, Mapping) else f"a {type(given).__name__}"


def parse_duration(text: str) -> float:
    """Seconds in "90", "90s", "30m", "2h" or "1d". Raises SettingError."""
    return float(_TIMES.parse(text))


def parse_size(text: str) -> int:
    """Bytes in "5000", "64MB" (10**6) or "64MiB" (2**20). Raises SettingError."""
    return int(_SIZES.parse(text))


# Yes or no, and numbers


def _read_flag(name: str, given: Any) -> bool:
    if not isinstance(given, bool):
        raise SettingError(f"{option(name)} must be True or False, not {quoted(given)}")
    return given


FLAG: Kind = {"read": _read_flag}


class _Units(Struct, frozen=True):
    """Numbers as texts. what: one in a sentence; by_name: the factors of units, in lower case, "" for none."""

    what: str
    by_name: Mapping[str, int | Fraction]
    is_whole: bool = False

    def parse(self, text: str) -> Fraction:
        match = re.fullmatch(r"(\d{1,99}(?:\.\d{1,99})?|\.\d{1,99})\s*([a-z]*|%)", text.strip().lower())
        if match is None or match[2] not in self.by_name:
            raise SettingError(f"{self.what}, not {quoted(text)}")
        return Fraction(match[1]) * self.by_name[match[2]]

    def read(self, name: str, given: Any) -> Any:
        """A number that is given, or its text. Raises SettingError."""
        if isinstance(given, bool) or not isinstance(given, Real | str):
            raise SettingError(f"{option(name)} must be a number, not {quoted(given)}")
        if not isinstance(given, str):
            return given
        try:
            value = self.parse(given.strip().removeprefix("-")) * (-1 if given.strip().startswith("-") else 1)
        except SettingError as error:
            raise SettingError(f"{option(name)}: {error}") from error
        return int(value) if self.is_whole and value.denominator == 1 else float(value)


_WHOLES = _Units("write a whole number as 500, 10k or 1.5M", {"": 1, "k": 10**3, "m": 10**6}, is_whole=True)
_SHARES = _Units(
    "write a share as a number from 0 to 1, or as a percentage, such as 90%", {"": 1, "%": Fraction(1, 100)}
)
_TIMES = _Units(
    "write a time as a number followed by s, m, h or d, such as 30m", {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
)
_SIZES = _Units(
    "write a size as a number followed by B, KB, MB or GB, such as 2GB",
    {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30},
    is_whole=True,
)


def _number(units: _Units, most: str, metavar: str, least: float = -math.inf, above: float = -math.inf) -> Kind:
    def read(name: str, given: Any) -> Any:
        value = units.read(name, given)
        told = given.strip() if isinstance(given, str) else quoted(value)
        if not value > above:
            raise SettingError(f"{option(name)} must be more than {above}, not {told}")
        if not value >= least:
            raise SettingError(f"{option(name)} must be at least {least}, not {told}")
        if value > units.parse(most):
            raise SettingError(f"{option(name)} must be at most {most}, not {told}")
        if units.is_whole and value != int(value):
            raise SettingError(f"{option(name)} must be a whole number, not {quoted(given)}")
        return int(value) if units.is_whole else value

    return {"read": read, "most": most, "metavar": metavar}


def whole(most: int, least: int = 1) -> Kind:
    """A whole number."""
    return _number(_WHOLES, str(most), "N", least)


def size(most: str, metavar: str) -> Kind:
    """Bytes, one at least."""
    return _number(_SIZES, most, metavar, 1)


def duration(most: str, metavar: str = "TIME") -> Kind:
    """Seconds, more than none."""
    return _number(_TIMES, most, metavar, above=0)


PAUSE: Kind = _number(_TIMES, MOST_DELAY, "TIME", 0)
"""Seconds; 0 for none."""


def share(metavar: str) -> Kind:
    """A part of a whole: 0.9, or "90%"."""
    return _number(_SHARES, "100%", metavar, 0)


# Texts


def read_text(name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise SettingError(f"{option(name)} must be text, not {kind_of(given)}")
    return given


_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HTTPS_ORIGIN = re.compile(rf"https://({_LABEL}(?:\.{_LABEL})*)(?::([1-9]\d{{0,4}}))?/?", re.IGNORECASE | re.ASCII)


def https_origin(name: str, given: Any) -> str:
    """An https origin as RFC 6454 6.2 spells it; "" if none is given."""
    if read_text(name, given) == "":
        return ""
    match = _HTTPS_ORIGIN.fullmatch(given)
    if match is None or int(match[2] or 0) > 65535:
        raise SettingError(
            f"{option(name)} must be an https origin such as https://crawler.example, not {quoted(given)}"
        )
    port = f":{match[2]}" if match[2] not in (None, "443") else ""
    return f"https://{match[1].lower()}{port}"


def several(name: str, given: Any, one: type = str) -> tuple[Any, ...]:
    """Values of a setting that takes several. A single text or `one` counts as a list of one."""
    if isinstance(given, str | one):
        return (given,)
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise SettingError(f"{option(name)} must be text or a list of texts, not {kind_of(given)}")
    return tuple(given)


def _lines(name: str, value: Any) -> list[str]:
    """A text; or those in the file that @FILE names, one per line."""
    if not read_text(name, value).startswith("@"):
        return [value]
    try:
        lines = Path(value[1:]).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        problem = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise SettingError(f"{option(name)} {value}: the file cannot be read: {problem}") from error
    return [line.strip() for line in lines if line.strip()]


def _read_texts(name: str, given: Any) -> tuple[str, ...]:
    return tuple(read_text(name, value) for value in several(name, given))


def _one_of(allowed: tuple[str, ...], name: str, given: str) -> str:
    if given not in allowed:
        raise SettingError(
            f"{option(name)} is one of {', '.join(allowed)}, not {quoted(given)}{suggestion(given, allowed)}"
        )
    return given


TEXT: Kind = {"read": read_text}


def choice(*allowed: str) -> Kind:
    """One of some texts."""
    return {"read": lambda name, given: _one_of(allowed, name, read_text(name, given)), "choices": allowed}


def texts(metavar: str) -> Kind:
    """Several texts."""
    return {"read": _read_texts, "metavar": metavar}


def parsed(
    metavar: str,
    kind: type | tuple[type, ...],
    parse: Callable[[str], Any],
    shown: Callable[[Any], str] = str,
    *,
    takes_files: bool = False,
) -> Kind:
    """Several values of a kind, a class or those of a pair, that `parse` makes of a text, and `shown` a text of.

    `shown` must leave secrets out.
    """

    def is_read(one: Any) -> bool:
        return isinstance(one, kind) if isinstance(kind, type) else type(one) is tuple and (*map(type, one),) == kind

    def read(name: str, given: Any) -> tuple[Any, ...]:
        values = [given] if isinstance(kind, type) and is_read(given) else several(name, given)
        words = (word for one in values for word in ([one] if is_read(one) or not takes_files else _lines(name, one)))
        return tuple(word if is_read(word) else parse(read_text(name, word)) for word in words)

    def hide(values: Iterable[Any]) -> tuple[str, ...]:
        return tuple(shown(one) if is_read(one) else one for one in values)

    return {"read": read, "metavar": metavar, "hide": hide}


PATTERNS: Kind = {
    "read": lambda name, given: tuple(compiled(one, name).pattern for one in _read_texts(name, given)),
    "metavar": "REGEX",
}
"""Regular expressions."""


def codes(allowed: tuple[str, ...] = ()) -> Kind:
    """Texts of which one may hold several, separated by commas. allowed: (): any."""

    def read(name: str, given: Any) -> tuple[str, ...]:
        found = (code.strip() for value in _read_texts(name, given) for code in value.split(",") if code.strip())
        return tuple(_one_of(allowed, name, code) if allowed else code for code in found)

    return {"read": read, "metavar": "|".join(allowed)}


# Files and programs


def _read_file(name: str, given: Any) -> Path:
    """An absolute path of a file."""
    if not isinstance(given, str | os.PathLike):
        raise SettingError(f"{option(name)} must be the path of a file, not {quoted(given)}")
    return Path(given).absolute()


def _read_places(name: str, given: Any) -> tuple[str, ...]:
    """Absolute paths of files or folders."""
    return tuple(str(_read_file(name, one)) for one in several(name, given, os.PathLike))


def file(metavar: str, check: Callable[[str, Path], None] = lambda name, path: None) -> Kind:
    """The path of a file. check: raises SettingError for a wrong one."""

    def read(name: str, given: Any) -> Path:
        path = _read_file(name, given)
        check(name, path)
        return path

    return {"read": read, "metavar": metavar, "is_path": True, "may_be_gone": check in (is_file, can_be_file)}


PLACES: Kind = {"read": _read_places, "metavar": "DIR|FILE", "is_path": True}


def kept_path(path: str, folder: Path) -> str:
    """A path for a store in `folder`: relative if below the folder, so that both can be moved together."""
    whole, folder = Path(os.path.abspath(path)), Path(os.path.abspath(folder))
    return str(whole.relative_to(folder)) if whole.is_relative_to(folder) else str(whole)


def whole_path(kept: str, folder: Path) -> str:
    """The absolute path kept by a store in `folder`."""
    return os.path.abspath(folder / kept)


def is_file(name: str, path: Path) -> None:
    if not path.is_file():
        raise SettingError(f"{option(name)} {path} is not a file; name a PEM file that can be read")


def is_folder(name: str, path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise SettingError(f"{option(name)} {path} is not a folder; name one, or a path that does not exist yet")


def can_be_file(name: str, path: Path) -> None:
    if path.is_dir() or not path.parent.is_dir():
        problem = "is a folder" if path.is_dir() else "is in a folder that does not exist"
        raise SettingError(f"{option(name)} {path} {problem}; name a file of cookies, or a new one")


# What texts say


def compiled(pattern: str, name: str) -> re.Pattern[str]:
    """The compiled regular expression; raises SettingError that names the option it came from."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise SettingError(f"{option(name)} {quoted(pattern)} is not a regular expression: {error}") from error


def _parse_host_delay(given: str) -> tuple[str, float]:
    """HOST=TIME: a host, with its port if it has one, and seconds. Raises SettingError."""
    host, divider, text = given.rpartition("=")
    if not divider or not _HOST.fullmatch(host):
        raise SettingError(f"--host-delay takes HOST=TIME, such as example.org=5s, not {quoted(given)}")
    return host.lower(), PAUSE["read"]("host_delay", text)


def _parse_boost(given: str) -> tuple[re.Pattern[str], float]:
    """REGEX=FACTOR: the pattern and the positive factor; the last '=' divides them. Raises SettingError."""
    pattern, divider, factor = given.rpartition("=")
    try:
        value = float(factor)
    except ValueError:
        value = 0.0
    if not divider or not 0 < value <= 1000:
        raise SettingError(f"--boost takes REGEX=FACTOR with a factor above 0 and up to 1000, not {quoted(given)}")
    return compiled(pattern, "boost"), value


HOST_DELAYS = parsed("HOST=TIME", (str, float), _parse_host_delay, lambda one: f"{one[0]}={one[1]:.15g}s")
BOOSTS = parsed("REGEX=FACTOR", (re.Pattern, float), _parse_boost, lambda one: f"{one[0].pattern}={one[1]:.15g}")
