"""Configuration files: their places, and their tables for a crawl, for single hosts and for items."""

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from minicrawl.errors import SettingError
from minicrawl.settings.crawl import SETTINGS
from minicrawl.settings.values import item_rule, kind, several

PROJECT = Path("minicrawl.toml")
NONE = "none"


@dataclass(frozen=True)
class ConfigFile:
    """A file of options."""

    path: Path
    tables: Mapping[str, object]

    def sentence(self, problem: str) -> SettingError:
        """The error about a problem in the file."""
        return SettingError(f"{self.path}: {problem}")


def config_file(given: str | None) -> ConfigFile | None:
    """The file in effect, if there is one. given: value of --config: a file to be read instead of the folder's, or
    none. Raises SettingError for an unreadable file."""
    if given is None:
        return _read(PROJECT) if PROJECT.exists() else None
    return None if given == NONE else _read(Path(given))


def _read(path: Path) -> ConfigFile:
    try:
        return ConfigFile(
            path, tomllib.loads(path.read_bytes().decode("utf-8-sig"))
        )  # Windows begins files with a mark
    except OSError as error:
        raise SettingError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingError(f"{path} is not UTF-8 text; save it as such") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingError(f"{path} is no TOML: {error}") from error
    except RecursionError as error:
        raise SettingError(f"{path}: lists and tables are nested too deeply in it") from error
    except ValueError as error:  # Python reads no more digits than 4,300
        raise SettingError(f"{path}: a number in it has thousands of digits") from error


Given = dict[str, tuple[str, ...]]


def _delay(host: str, value: object) -> Given:
    return {"host_delay": (f"{host}={value}",)}


def _headers(host: str, value: object) -> Given:
    return {"header": tuple(f"{host}={line}" for line in several("header", value))}


def _auth(host: str, value: object) -> Given:
    return {"auth": (f"{host}={value}",)}


def _extract(host: str, value: object) -> Given:
    called = f'[host."{host}".extract]'
    if not isinstance(value, Mapping):
        raise SettingError(
            f'{called} is a table, such as extract = {{ fields = {{ title = "h1" }} }}, not {kind(value)}'
        )
    if "match" in value:
        raise SettingError(f"{called} is for all pages of the host; a table [extract.NAME] has a match")
    return {"extract_rule": (item_rule(called, host, {"match": rf"^https?://{re.escape(host)}[:/]", **value}),)}


def _pages(host: str, value: object) -> Given:
    return {"host_pages": (f"{host}={value}",)}


OF_A_HOST = {
    "delay": _delay,
    "header": _headers,
    "auth": _auth,
    "extract": _extract,
    "pages": _pages,
}
"""Options that can be set for one host."""


def host_settings(hosts: Mapping[str, object]) -> Given:
    """The settings made of the tables of hosts, {host: {key: value}}. Raises SettingError."""
    given: Given = {}
    for host, keys in hosts.items():
        if not isinstance(keys, dict):
            raise SettingError(f'[host."{host}"] is a table with {_all_keys()}')
        for key, value in keys.items():
            name = key.replace("_", "-")
            _check(host, name, value)
            for setting, texts in OF_A_HOST[name](host.lower(), value).items():
                given[setting] = (*given.get(setting, ()), *texts)
    for setting, texts in given.items():
        SETTINGS[setting].checked(SETTINGS[setting].of(texts))
    return given


def rule_settings(named: Mapping[str, object]) -> Given:
    """The settings made of the tables of items, {name: {key: value}}. Raises SettingError."""
    rules = []
    for name, keys in named.items():
        if not isinstance(keys, dict):
            raise SettingError(f"[extract.{name}] is a table with match, each and fields, not {kind(keys)}")
        rules.append(item_rule(f"[extract.{name}]", name, keys))
    return {"extract_rule": tuple(rules)} if rules else {}


def _check(host: str, key: str, value: object) -> None:
    if isinstance(value, dict) and key != "extract":
        raise SettingError(f'[host.{host}.{key}]: the name of a host stands in quotes, as in [host."{host}.{key}"]')
    if key in OF_A_HOST:
        is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
        if not is_plain and key not in ("header", "extract"):
            raise SettingError(f'[host."{host}"] {key} cannot be {kind(value)}; see docs/configuration.md')
        return
    name = key.replace("-", "_")
    if name in SETTINGS:
        raise SettingError(f'[host."{host}"] {key} cannot be set for one host: only {_all_keys()} can')
    close = difflib.get_close_matches(key, OF_A_HOST, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {_all_keys()}"
    raise SettingError(f'[host."{host}"] has no option {key!r}; {hint}')


def _all_keys() -> str:
    *others, last = OF_A_HOST
    return f"{', '.join(others)} and {last}"
