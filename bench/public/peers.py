"""Programs of others, each installed by version range in a folder of its own below the cache."""

import importlib
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

PROGRAMS = Path(__file__).parent / "programs"
_PATIENCE = 900.0
_WHERE = re.compile(r"\S*[/\\]\S*")


class UnavailableError(Exception):
    """A peer or a web that cannot be had here; the message says why, without paths or addresses."""


@dataclass(frozen=True)
class Peer:
    """A program to compare with.

    registry: PyPI, npm, Debian, or Python for its standard library. packages: requirements as pip or npm take them,
    the peer itself first; of Debian the package, whose program is taken from PATH: nothing is installed there; of
    Python the module.
    """

    name: str
    registry: str
    packages: tuple[str, ...] = ()
    licence: str = ""

    def version(self, home: Path) -> str:
        """The installed version. Raises UnavailableError."""
        if self.registry == "Python":
            return str(getattr(importlib.import_module(self.packages[0]), "sqlite_version", sys.version.split()[0]))
        if self.registry == "npm":
            name = re.sub(r"(?<=.)@.*", "", self.packages[0])
            return str(json.loads((home / "node_modules" / name / "package.json").read_text())["version"])
        if self.registry == "PyPI":
            name = re.split(r"[\[<>=!~]", self.packages[0])[0]
            (found,) = importlib.metadata.distributions(
                name=name, path=[str(next(home.glob("lib/python*/site-packages")))]
            )
            return found.version
        answer = subprocess.run([self.packages[0], "--version"], capture_output=True, text=True, check=False)
        found_version = re.search(r"\d+\.[\w.-]*\w", answer.stdout + answer.stderr)
        return found_version[0] if found_version else "unknown"


class Installed(NamedTuple):
    """A peer that is there. home: the folder of its environment; python: its interpreter."""

    peer: Peer
    version: str
    home: Path

    def command(self, program: str, *words: str) -> list[str]:
        """The command of a program below programs/, named without its ending, in the peer's environment."""
        if self.peer.registry == "npm":
            return ["node", str(PROGRAMS / f"{program}.mjs"), str(self.home / "node_modules"), *words]
        python = str(self.home / "bin" / "python") if self.peer.registry == "PyPI" else sys.executable
        return [python, "-P", str(PROGRAMS / f"{program}.py"), *words]


def install(peer: Peer, cache: Path) -> Installed:
    """Install a peer, or find it as installed before. Raises UnavailableError."""
    home = cache / peer.registry.lower() / re.sub(r"\W+", "-", peer.name.lower())
    done = home / "installed.txt"
    if peer.registry == "Debian" and not shutil.which(peer.packages[0]):
        raise UnavailableError(f"no {peer.packages[0]} on PATH; 'apt-get install {peer.packages[0]}' brings it")
    if peer.registry in {"PyPI", "npm"} and not (done.exists() and done.read_text() == "\n".join(peer.packages)):
        shutil.rmtree(home, ignore_errors=True)
        if peer.registry == "PyPI":
            run([sys.executable, "-m", "venv", "--without-pip", str(home)])
            run_pip("--python", str(home), "install", *peer.packages)
        else:
            run(
                ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(home), *peer.packages]
            )
        done.write_text("\n".join(peer.packages))
    return Installed(peer, peer.version(home), home)


def run_pip(*words: str, folder: Path | None = None) -> None:
    """Run pip. Raises UnavailableError."""
    run([sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet", *words], folder)


def run(command: list[str], folder: Path | None = None) -> str:
    """The output of a command that fetches something. Raises UnavailableError."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_PATIENCE, cwd=folder)
    except FileNotFoundError:
        raise UnavailableError(f"{command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{command[0]} had not finished after {_PATIENCE:.0f} s") from None
    except subprocess.CalledProcessError as error:
        # npm says first why it failed, after a code; pip last.
        lines = [line for line in error.stderr.splitlines() if re.search("(?i)error(?! code)", line)] or ["it failed"]
        raise UnavailableError(_WHERE.sub("…", lines[0 if command[0] == "npm" else -1])[:160]) from None
    return done.stdout
