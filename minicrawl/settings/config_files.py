"""Files in which options are kept: which of them there are, and what they say, as TOML has it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from minicrawl.errors import SettingError
from minicrawl.settings.values import kind

PROJECT = Path("minicrawl.toml")
PYPROJECT = Path("pyproject.toml")
NONE = "none"


@dataclass(frozen=True)
class ConfigFile:
    """`origin`: whose it is, project, user, or --config; `table`: what messages call what it has for us."""

    path: Path
    origin: str
    tables: Mapping[str, object]
    table: str = ""

    def sentence(self, problem: str) -> SettingError:
        """The error that says what is wrong with it."""
        return SettingError(f"{self.path}: {problem}")

    def called(self, *words: str) -> str:
        """What a table or key in it is called there."""
        return ".".join((*((self.table,) if self.table else ()), *words))


def config_files(given: str | None, of_user: Path, folder: Path = Path()) -> tuple[ConfigFile, ...]:
    """The files that count, the first one most. Raises SettingError for one that cannot be read.

    given: what --config says: a file to be read instead of all others, or none. of_user: the user's own. folder: where
    the project is.
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
