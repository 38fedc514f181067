"""Readers and checks of the values of settings.

A reader converts a given value, or its text as on the command line. A check tests the result. Both take the name of
the setting, and raise SettingError with one sentence that names it.
"""

import difflib
import json
import math
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any  # Any: settings as given

from minicrawl.errors import SettingError

Reader = Callable[[str, Any], Any]
Check = Callable[[str, Any], None]
Hide = Callable[[Any], Any]

_OF_A_RULE = ("match", "each", "fields")
_THOUSANDS = re.compile(r"(\d{1,99}(?:\.\d{1,99})?)([km])")
_THOUSANDS_OF = {"k": 1_000, "m": 1_000_000}
_UNITS_OF_TIME = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_HOST = re.compile(r"[^\s/=@]+")
_SHOWN = 100
MOST_WORKERS = max(32, 2 * (os.cpu_count() or 1))
"""Limit of worker processes: more would share cores, and take tens of MB of memory each."""
MOST_DELAY, MOST_SPAN = "30d", "36500d"
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


def option(name: str) -> str:
    """The command-line spelling of a setting."""
    return "--" + name.replace("_", "-")


def quoted(given: object) -> str:
    """A value for messages: in one line, cut short."""
    try:
        shown = repr(given)
    except ValueError:  # Python prints no whole number of thousands of digits
        return "a number of thousands of digits"
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def parse_duration(text: str) -> float:
    """Seconds in "90", "90s", "30m", "2h" or "1d". Raises SettingError."""
    match = re.fullmatch(r"(\d{1,99}(?:\.\d{1,99})?)\s*([smhd]?)", text.strip().lower())
    if match is None:
        raise SettingError(f"a time is a number with s, m, h or d behind it, such as 30m, not {quoted(text)}")
    return float(match[1]) * _UNITS_OF_TIME[match[2] or "s"]


def parse_size(text: str) -> int:
    """Bytes in "5000", "64MB" (10**6) or "64MiB" (2**20). Raises SettingError."""
    match = re.fullmatch(r"(\d{1,99}(?:\.\d{1,99})?)\s*([KMG]I?B|B?)", text.strip().upper())
    if match is None:
        raise SettingError(f"a size is a number with B, KB, MB or GB behind it, such as 2GB, not {quoted(text)}")
    return int(float(match[1]) * _UNITS_OF_SIZE[match[2]])


# Readers


def text_of_file(name: str, path: str) -> str:
    """Read a file that a setting names as @FILE. Raises SettingError."""
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problem = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise SettingError(f"{option(name)} @{path}: the file cannot be read: {problem}") from error


def flag(name: str, given: Any) -> bool:
    if not isinstance(given, bool):
        raise SettingError(f"{option(name)} is True or False, not {quoted(given)}")
    return given


def number(name: str, given: Any) -> Any:
    """A finite number, of its given type; or NaN, which no check accepts."""
    if isinstance(given, bool) or not isinstance(given, Real | str):
        raise SettingError(f"{option(name)} is a number, not {quoted(given)}")
    try:
        value = float(given)
    except ValueError:
        raise SettingError(f"{option(name)} is a number, not {quoted(given)}") from None
    except OverflowError:  # a whole number of more than 308 digits
        value = math.inf
    if math.isinf(value):  # as a delay it would leave hosts with no time at which they may be asked
        raise SettingError(f"{option(name)} is a finite number, not {quoted(given)}")
    return value if isinstance(given, str) else given


def whole(name: str, given: Any) -> Any:
    """A whole number, which a text may give as 10k or 1.5M; or NaN, which no check accepts."""
    if isinstance(given, str) and (found := _THOUSANDS.fullmatch(given.strip().lower())):
        given = round(float(found[1]) * _THOUSANDS_OF[found[2]], 6)
    value = number(name, given)
    if math.isnan(value):
        return value
    if value != int(value):
        raise SettingError(f"{option(name)} is a whole number, not {quoted(given)}")
    return int(value)


def duration(name: str, given: Any) -> Any:
    """Seconds."""
    try:
        return number(name, given)
    except SettingError:
        if not isinstance(given, str):
            raise
    return _in_option(name, parse_duration, given)


def size(name: str, given: Any) -> Any:
    """Bytes."""
    return _in_option(name, parse_size, given) if isinstance(given, str) else whole(name, given)


def share(name: str, given: Any) -> Any:
    """A part of a whole: 0.9, or "90%"."""
    if isinstance(given, str) and given.strip().endswith("%"):
        return number(name, given.strip()[:-1]) / 100
    return number(name, given)


def text(name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise SettingError(f"{option(name)} is a text, not {kind(given)}")
    return given


def several(name: str, given: Any, one: type = str) -> tuple[Any, ...]:
    """Values of a setting that takes several. A single text or `one` counts as a list of one."""
    if isinstance(given, str | one):
        return (given,)
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise SettingError(f"{option(name)} is a text or a list of texts, not {kind(given)}")
    return tuple(given)


def kind(given: Any) -> str:
    """Name a value of a wrong type for messages. Contents of lists and tables are left out: they may be passwords."""
    if given is None or isinstance(given, Real | str):
        return quoted(given)
    return "a table" if isinstance(given, Mapping) else f"a {type(given).__name__}"


def texts(name: str, given: Any) -> tuple[str, ...]:
    return tuple(text(name, value) for value in several(name, given))


def codes(name: str, given: Any) -> tuple[str, ...]:
    """Texts, each of which may hold several, separated by commas."""
    return tuple(code.strip() for value in texts(name, given) for code in value.split(",") if code.strip())


def file(name: str, given: Any) -> Path:
    """An absolute path of a file."""
    if not isinstance(given, str | os.PathLike):
        raise SettingError(f"{option(name)} is the path of a file, not {quoted(given)}")
    return Path(given).absolute()


def places(name: str, given: Any) -> tuple[str, ...]:
    """Absolute paths of files or folders; URLs and - as they are."""
    return tuple(
        one if isinstance(one, str) and _is_elsewhere(one) else str(file(name, one))
        for one in several(name, given, os.PathLike)
    )


def _is_elsewhere(place: str) -> bool:
    """True for standard input and URLs, which are no paths."""
    return place == "-" or place.startswith(("http://", "https://"))


def kept_path(path: str, folder: Path) -> str:
    """A path for a store in `folder`: relative if below the folder, so that both can be moved together."""
    if _is_elsewhere(path):
        return path
    whole, folder = Path(os.path.abspath(path)), Path(os.path.abspath(folder))
    return str(whole.relative_to(folder)) if whole.is_relative_to(folder) else str(whole)


def whole_path(kept: str, folder: Path) -> str:
    """The absolute path kept by a store in `folder`."""
    return kept if _is_elsewhere(kept) else os.path.abspath(folder / kept)


def item_rules(name: str, given: Any) -> tuple[str, ...]:
    """Extraction rules, given as mappings or JSON, as JSON; see minicrawl.extract.selectors."""
    called, rules = option(name), list[str]()
    for one in several(name, given, dict):
        try:
            rule = json.loads(one) if isinstance(one, str) else one
        except ValueError:
            rule = None
        if not isinstance(rule, Mapping) or not isinstance(rule.get("name"), str) or not rule["name"]:
            raise SettingError(
                f'{called} takes JSON such as {{"name": "a", "fields": {{"title": "h1"}}}}, not {quoted(one)}'
            )
        rules.append(item_rule(called, rule["name"], {key: value for key, value in rule.items() if key != "name"}))
    return tuple(rules)


def item_rule(called: str, name: str, keys: Mapping[str, Any]) -> str:
    """A rule as JSON. called: its name in messages. Raises SettingError for invalid keys and values."""
    for key, value in keys.items():
        if key not in _OF_A_RULE:
            close = difflib.get_close_matches(key, _OF_A_RULE, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(_OF_A_RULE)}"
            raise SettingError(f"{called} has no key {quoted(key)}; {hint}")
        if key != "fields" and not isinstance(value, str):
            raise SettingError(f"{called} {key} is a text, not {quoted(value)}")
    fields = keys.get("fields")
    if not isinstance(fields, Mapping) or not fields or not all(isinstance(one, str) for one in fields.values()):
        raise SettingError(f'{called} needs fields, such as fields = {{ title = "h1" }}, not {quoted(fields)}')
    try:
        re.compile(keys.get("match", ""))
    except re.error as error:
        raise SettingError(f"{called} match: {quoted(keys['match'])} is no regular expression: {error}") from error
    return json.dumps({"name": name, **keys}, ensure_ascii=False)


def _in_option(name: str, parse: Callable[[str], Any], given: str) -> Any:
    """Parse a text; an error gets the option's name before its message."""
    try:
        return parse(given)
    except SettingError as error:
        raise SettingError(f"{option(name)}: {error}") from error


# Checks


def at_least(least: float) -> Check:
    def check(name: str, value: Any) -> None:
        if not value >= least:
            raise SettingError(f"{option(name)} must be at least {least}, not {value}")

    return check


def more_than(bound: float) -> Check:
    def check(name: str, value: Any) -> None:
        if not value > bound:
            raise SettingError(f"{option(name)} must be more than {bound}, not {value}")

    return check


def from_0_to_1(name: str, value: Any) -> None:
    if not 0 <= value <= 1:
        raise SettingError(f"{option(name)} is a share from 0 to 1, or 0% to 100%, not {value}")


def one_of(allowed: tuple[str, ...]) -> Check:
    def check(name: str, value: Any) -> None:
        if value not in allowed:
            raise SettingError(f"{option(name)} is one of {', '.join(allowed)}, not {quoted(value)}")

    return check


def each_of(allowed: tuple[str, ...]) -> Check:
    check = one_of(allowed)

    def check_each(name: str, value: Any) -> None:
        for given in value:
            check(name, given)

    return check_each


def patterns(name: str, value: Any) -> None:
    for pattern in value:
        compiled(pattern, name)


def boosts(_: str, value: Any) -> None:
    for boost in value:
        parse_boost(boost)


def host_delays(_: str, value: Any) -> None:
    for rule in value:
        parse_host_delay(rule)


def host_limits(name: str, value: Any) -> None:
    for rule in value:
        parse_host_limit(name, rule)


def there(name: str, path: Any) -> None:
    if not path.is_file():
        raise SettingError(f"{option(name)} {path} is no file; name a PEM file that can be read")


def folder(name: str, path: Any) -> None:
    if path.exists() and not path.is_dir():
        raise SettingError(f"{option(name)} {path} is no folder; name one, or a path where there is nothing yet")


def command(name: str, value: str) -> None:
    """Errors leave out the value, which may be secret."""
    try:
        words = shlex.split(value)
    except ValueError as error:
        raise SettingError(f"{option(name)} is no command: {error}") from error
    if value and (not words or shutil.which(words[0]) is None):
        raise SettingError(f"{option(name)} is a command whose program is there, such as './tell.py mail'")


def program(value: str) -> str:
    """A command without what may be secret."""
    return next(iter(shlex.split(value)), "")


def anything(_: str, __: Any) -> None:
    """Accept every value that the reader accepts."""


def as_it_is(value: Any) -> Any:
    """Return a value that is not secret."""
    return value


def compiled(pattern: str, name: str) -> re.Pattern[str]:
    """The compiled regular expression; raises SettingError that names the option it came from."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise SettingError(f"{option(name)} {quoted(pattern)} is no regular expression: {error}") from error


def parse_host_delay(given: str) -> tuple[str, float]:
    """HOST=TIME: a host, with its port if it has one, and seconds. Raises SettingError."""
    host, divider, time = given.rpartition("=")
    if not divider or not _HOST.fullmatch(host):
        raise SettingError(f"--host-delay takes HOST=TIME, such as example.org=5s, not {quoted(given)}")
    seconds = _in_option("host_delay", parse_duration, time)
    if seconds > parse_duration(MOST_DELAY):
        raise SettingError(f"--host-delay must be at most {MOST_DELAY}, not {quoted(given)}")
    return host.lower(), seconds


def parse_host_limit(name: str, given: str) -> tuple[str, int]:
    """HOST=N of the setting `name`: a host, with its port if it has one, and a whole number. Raises SettingError."""
    host, divider, number = given.rpartition("=")
    if not divider or not _HOST.fullmatch(host) or not re.fullmatch(r"\d{1,9}", number, re.ASCII):
        raise SettingError(f"{option(name)} takes HOST=N, such as example.org=500, not {quoted(given)}")
    return host.lower(), int(number)


def parse_boost(given: str) -> tuple[re.Pattern[str], float]:
    """REGEX=FACTOR: the pattern and the positive factor; the last '=' divides them. Raises SettingError."""
    pattern, divider, factor = given.rpartition("=")
    try:
        value = float(factor)
    except ValueError:
        value = 0.0
    if not divider or not 0 < value <= 1000:
        raise SettingError(f"--boost takes REGEX=FACTOR with a factor from above 0 to 1000, not {quoted(given)}")
    return compiled(pattern, "boost"), value
