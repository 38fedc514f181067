"""Configuration files: their places, and their tables for a crawl, for single hosts and for items."""

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from minicrawl.errors import SettingError
from minicrawl.settings.crawl import SETTINGS
from minicrawl.settings.values import item_rule, kind, several

PROJECT = Path("minicrawl.toml")
PYPROJECT = Path("pyproject.toml")
NONE = "none"


@dataclass(frozen=True)
class ConfigFile:
    """`origin`: project, user, or --config; `table`: the name of our table in it, for messages."""

    path: Path
    origin: str
    tables: Mapping[str, object]
    table: str = ""

    def sentence(self, problem: str) -> SettingError:
        """The error about a problem in the file."""
        return SettingError(f"{self.path}: {problem}")

    def called(self, *words: str) -> str:
        """The full name of a table or key in the file."""
        return ".".join((*((self.table,) if self.table else ()), *words))


def config_files(given: str | None, of_user: Path, folder: Path = Path()) -> tuple[ConfigFile, ...]:
    """The files in effect, by precedence. Raises SettingError for an unreadable file.

    given: value of --config: a file to be read instead of all others, or none. of_user: the user's file. folder: the
    project's folder.
    """
    if given is not None:
        return () if given == NONE else (_read(Path(given), "--config"),)
    found = [*_of_project(folder)]
    if of_user.exists():
        found.append(_read(of_user, "user"))
    return tuple(found)


def _of_project(folder: Path) -> list[ConfigFile]:
    """The project's file, if it has one. Raises SettingError if it has two."""
    paths = [folder / name for name in (PROJECT, PYPROJECT) if (folder / name).exists()]
    files = [file for path in paths if (file := _read(path, "project")).tables or path.name != PYPROJECT.name]
    if len(files) > 1:
        raise SettingError(
            f"{files[0].path} and [tool.minicrawl] of {files[1].path} both have options; keep one of them"
        )
    return files


def _read(path: Path, origin: str) -> ConfigFile:
    try:
        tables = tomllib.loads(path.read_bytes().decode("utf-8-sig"))  # Windows' editors begin files with a mark
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
    if path.name != PYPROJECT.name:
        return ConfigFile(path, origin, tables)
    tool = tables.get("tool")
    ours = tool.get("minicrawl", {}) if isinstance(tool, dict) else {}
    if not isinstance(ours, dict):
        raise SettingError(f"{path}: tool.minicrawl is a table of options, not {kind(ours)}")
    return ConfigFile(path, origin, ours, "tool.minicrawl")


Given = dict[str, tuple[str, ...]]


def _delay(host: str, value: object) -> Given:
    return {"host_delay": (f"{host}={value}",)}


def _headers(host: str, value: object) -> Given:
    return {"header": tuple(f"{host}={line}" for line in several("header", value))}


def _auth(host: str, value: object) -> Given:
    return {"auth": (f"{host}={value}",)}


def _refresh(host: str, value: object) -> Given:
    return {"refresh_rule": (rf"^https?://{re.escape(host)}[:/]={value}",)}


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
    "refresh": _refresh,
    "extract": _extract,
    "pages": _pages,
}
"""Options that can be set for one host."""


def host_settings(tables: Iterable[Mapping[str, object]]) -> Given:
    """The settings made of tables of hosts. Raises SettingError.

    tables: of several files, {host: {key: value}}; the first one takes precedence.
    """
    merged: dict[tuple[str, str], object] = {}
    for hosts in tables:
        for host, keys in hosts.items():
            if not isinstance(keys, dict):
                raise SettingError(f'[host."{host}"] is a table with {_all_keys()}')
            for key, value in keys.items():
                name = key.replace("_", "-")
                _check(host, name, value)
                merged.setdefault((host.lower(), name), value)
    given: Given = {}
    for (host, key), value in merged.items():
        for name, texts in OF_A_HOST[key](host, value).items():
            given[name] = (*given.get(name, ()), *texts)
    for name, texts in given.items():
        SETTINGS[name].checked(SETTINGS[name].of(texts))
    return given


def rule_settings(tables: Iterable[Mapping[str, object]]) -> Given:
    """The settings made of tables of items. Raises SettingError.

    tables: of several files, {name: {key: value}}; the first one takes precedence.
    """
    rules: dict[str, str] = {}
    for named in tables:
        for name, keys in named.items():
            if not isinstance(keys, dict):
                raise SettingError(f"[extract.{name}] is a table with match, each and fields, not {kind(keys)}")
            rules.setdefault(name, item_rule(f"[extract.{name}]", name, keys))
    return {"extract_rule": tuple(rules.values())} if rules else {}


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
