"""How minicrawl was installed, and the shell command that adds an extra to it.

Its metadata have the origin (direct_url.json, PEP 610) and the installer (INSTALLER, PEP 376). uv and pipx keep records
of their own in a tool's environment, with the extras that were asked for: they add one by installing the tool again.
"""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: JSON

if TYPE_CHECKING:
    from importlib.metadata import Distribution

_NAME = "minicrawl"
_UV_RECORD, _PIPX_RECORD = "uv-receipt.toml", "pipx_metadata.json"


class By(Enum):
    """The program that installed minicrawl, and the one that adds to it."""

    PIP = "pip"
    OUTER_PIP = "pip outside of an environment that has none"
    UV = "uv pip"
    UV_TOOL = "uv tool"
    UVX = "uvx"
    PIPX = "pipx"
    PIPX_RUN = "pipx run"
    CONDA = "conda"
    IMAGE = "docker"
    SYSTEM = "any, into a Python that the system keeps (PEP 668)"


@dataclass(frozen=True, slots=True)
class Installation:
    """An installation of minicrawl.

    origin: the name, if an index was asked for it; the path of a folder or file; or a URL as pip writes it
    editable: whether changes in that folder count at once
    extras: those that it was asked for, if a tool's record says so
    beside: the other requirements of a uv tool (--with)
    python: the interpreter; None if plain `pip` or `uv pip` serve it in this shell
    arguments: those of this process: where every run is an installation, the command is this run again
    """

    by: By
    origin: str = _NAME
    editable: bool = False
    extras: frozenset[str] = frozenset()
    beside: tuple[str, ...] = ()
    python: str | None = None
    arguments: tuple[str, ...] = ()

    def adding(self, extra: str, libraries: tuple[str, ...] = ()) -> str:
        """The shell command that adds an extra, which consists of these libraries: conda knows no extras."""
        source = (*(["-e"] if self.editable else []), self._requirement(extra))
        match self.by:
            case By.PIP:
                words = [*([self.python, "-m"] if self.python else []), "pip", "install", *source]
            case By.OUTER_PIP:
                words = ["pip", "--python", str(self.python), "install", *source]
            case By.UV:
                words = ["uv", "pip", "install", *(["--python", self.python] if self.python else []), *source]
            case By.UV_TOOL:
                words = ["uv", "tool", "install", *(f"--with={each}" for each in self.beside), *source]
            case By.UVX:
                words = ["uvx", "--from", self._requirement(extra), _NAME, *self.arguments]
            case By.PIPX:
                words = ["pipx", "install", "--force", *source]
            case By.PIPX_RUN:
                words = ["pipx", "run", "--spec", self._requirement(extra), _NAME, *self.arguments]
            case By.CONDA:
                words = ["conda", "install", "--channel", "conda-forge", *libraries]
            case By.IMAGE:
                words = ["docker", "build", "--build-arg", f"EXTRAS={extra}", "--tag", _NAME, "."]
            case By.SYSTEM:
                words = ["pipx", "install", *source]
        return shlex.join(words)

    def _requirement(self, extra: str) -> str:
        extras = f"[{','.join(sorted({extra, *self.extras}))}]"
        return f"{_NAME}{extras} @ {self.origin}" if "://" in self.origin else f"{self.origin}{extras}"


def adding(extra: str) -> str:
    """The shell command that adds an extra to this installation."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - for a message alone

    try:
        of = distribution(_NAME)
    except PackageNotFoundError:
        return Installation(By.PIP, str(Path(__file__).parents[1]), python=sys.executable).adding(extra)
    return found(of, Path(sys.prefix)).adding(extra, tuple(_libraries(of, extra)))


def called_by_uvx() -> str | None:
    """The words with which uvx calls minicrawl, if it has done so now."""
    prefix = Path(sys.prefix)
    if not _is_of_uvx(prefix):
        return None
    from importlib.metadata import distribution  # noqa: PLC0415 - takes long to load

    origin = found(distribution(_NAME), prefix).origin
    return shlex.join(["uvx", *(["--from", origin] if origin != _NAME else []), _NAME])


def found(of: "Distribution", prefix: Path) -> Installation:
    """The installation of a distribution into the environment at `prefix`, which is that of this process."""
    import json  # noqa: PLC0415 - as above

    origin, editable = _origin(json.loads(of.read_text("direct_url.json") or "{}"))
    by = _installer((of.read_text("INSTALLER") or "").strip(), prefix)
    extras, beside = frozenset[str](), tuple[str, ...]()
    if by is By.UV_TOOL:
        extras, beside = _asked_of_uv((prefix / _UV_RECORD).read_text("utf-8"))
    elif by is By.PIPX:
        asked = json.loads((prefix / _PIPX_RECORD).read_text("utf-8"))["main_package"]["package_or_url"]
        extras = _extras_in(asked)
    serves = {By.PIP: _is_beside("pip"), By.UV: os.environ.get("VIRTUAL_ENV") == str(prefix), By.OUTER_PIP: False}
    python = None if serves.get(by, True) else sys.executable
    return Installation(by, origin, editable, extras, beside, python, tuple(sys.argv[1:]))


def _installer(noted: str, prefix: Path) -> By:
    """The program that serves an environment, by its note of the installer and what else is there."""
    is_pipx = (prefix / _PIPX_RECORD).exists()
    is_system = prefix == Path(sys.base_prefix) and (Path(os.__file__).parent / "EXTERNALLY-MANAGED").exists()
    signs = (
        (By.IMAGE, noted == "docker"),  # as the Dockerfile writes
        (By.CONDA, noted == "conda"),
        (By.UV_TOOL, (prefix / _UV_RECORD).exists()),
        (By.UVX, _is_of_uvx(prefix)),
        (By.PIPX, is_pipx and prefix.parent.name == "venvs"),
        (By.PIPX_RUN, is_pipx),
        (By.SYSTEM, is_system),
        (By.PIP, util.find_spec("pip") is not None),
        (By.UV, noted == "uv"),
    )
    return next((by for by, holds in signs if holds), By.OUTER_PIP)


def _is_of_uvx(prefix: Path) -> bool:
    """True for an environment in uv's cache, in a process that uv has started."""
    return "UV" in os.environ and prefix.parent.name.startswith(("archive-v", "environments-v"))


def _is_beside(program: str) -> bool:
    """True if the shell's program of this name is that of this environment."""
    there = shutil.which(program)
    return there is not None and Path(there).parent == Path(sys.executable).parent


def _origin(direct_url: dict[str, Any]) -> tuple[str, bool]:
    """Where it came from, and whether it is editable. A local origin that is gone is replaced by the name."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - as above
    from urllib.request import url2pathname  # noqa: PLC0415

    url = direct_url.get("url", "")
    if url.startswith("file:"):
        path = url2pathname(urlsplit(url).path)
        is_there = Path(path).exists()
        return path if is_there else _NAME, is_there and bool(direct_url.get("dir_info", {}).get("editable"))
    if control := direct_url.get("vcs_info"):
        revision = control.get("requested_revision")
        return f"{control['vcs']}+{url}" + (f"@{revision}" if revision else ""), False
    return url or _NAME, False


def _asked_of_uv(record: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The extras of a uv tool, and the requirements beside it."""
    import tomllib  # noqa: PLC0415 - as above

    asked = tomllib.loads(record)["tool"]["requirements"]
    extras = frozenset(extra for each in asked if each["name"] == _NAME for extra in each.get("extras", ()))
    return extras, tuple(f"{each['name']}{each.get('specifier', '')}" for each in asked if each["name"] != _NAME)


def _extras_in(requirement: str) -> frozenset[str]:
    """The extras of "minicrawl[demo,mcp]>=1", or of a path with extras; other brackets may stand before them."""
    found = re.findall(r"\[([\w.,\s-]+)\](?=$|[\s<>=!~;@])", requirement)
    return frozenset(re.findall(r"[\w.-]+", found[-1])) if found else frozenset()


def _libraries(of: "Distribution", extra: str) -> Iterator[str]:
    """The names of the libraries of an extra."""
    for requirement in of.requires or ():
        name, _, marker = requirement.partition(";")
        if re.search(rf"""extra == ['"]{extra}['"]""", marker) and (named := re.match(r"[\w.-]+", name)):
            yield named[0]
