"""A run of suites: peers that are there, work in child processes, and what it cost."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from public.peers import PROGRAMS, Installed, Peer, UnavailableError, install
from public.results import Table
from public.server import Server
from public.webs import LOCAL, Web

_TIME_LIMIT = 1800.0
_FINE = (0, 8)
"""Exit codes of crawlers; with 8 wget and wget2 tell of a dead link."""
_PORT = re.compile(r"(?<=127\.0\.0\.1:)\d+")


class FailedError(Exception):
    """A program ended with an error, which the message quotes."""


class Spent(NamedTuple):
    """CPU seconds of a program and its children, the memory of the largest process, and its standard output."""

    cpu: float
    peak_mb: float
    seconds: float
    output: bytes


def measured(
    command: Sequence[str], *, given: bytes = b"", extra: Mapping[str, str] | None = None, fine: Collection[int] = (0,)
) -> Spent:
    """Run a program to its end. extra: variables of its environment; fine: its exit codes without an error. Raises
    FailedError."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, str(PROGRAMS / "measured.py"), f"{folder}/cost", str(_TIME_LIMIT), *command],
            input=given, capture_output=True, check=False, cwd=folder,
            env={**os.environ, "MINICRAWL_CONFIG": "none", **(extra or {})},
        )  # fmt: skip
        if done.returncode not in fine:
            lines = done.stderr.decode(errors="replace").strip().splitlines() or [""]
            said = next((line for line in reversed(lines) if "Error" in line or "Expired" in line), lines[-1])
            raise FailedError(f"ended with {done.returncode}: {said.strip()[:160]}")
        cpu, peak_mb, seconds = json.loads(Path(folder, "cost").read_text())
        return Spent(cpu, peak_mb, seconds, done.stdout)


class Crawler(NamedTuple):
    """A program that crawls, in a row of a table. peer: "" is minicrawl; program: one below programs/, or "".

    words: of its command, with {folder} for an empty folder, {pages}, and {seeds} for a word a seed.
    """

    row: str
    peer: str
    program: str
    words: Sequence[str]


@dataclass
class Bench:
    """A run. `installed`: the peers of the suite that are there; `absent`: reasons why others are not, or failed."""

    cache: Path
    is_quick: bool
    graphs: Sequence[Path] = ()
    installed: dict[str, Installed] = field(default_factory=dict)
    absent: dict[str, tuple[str, str]] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)

    def prepare(self, peers: Sequence[Peer], tell: Callable[[str], None]) -> None:
        for peer in peers:
            tell(peer.name)
            try:
                if self.is_quick and peer.registry != "Python":
                    self.absent[peer.name] = ("left out", "by --quick")
                else:
                    self.installed[peer.name] = install(peer, self.cache)
            except UnavailableError as error:
                self.absent[peer.name] = ("not to be had", str(error))

    def run(self, name: str, command: Sequence[str], **how: Any) -> Spent | None:
        """The cost of a program's run; None if it fails, which is noted of the peer `name`.

        Raises FailedError if minicrawl (name "") fails.
        """
        words = (Path(word).name if word.startswith("/") else _PORT.sub("PORT", word) for word in command)
        told = shlex.join(words)
        if told not in self.commands:
            self.commands.append(told)
        try:
            spent = measured(command, **how)
        except FailedError as error:
            if not name:
                raise
            self.absent[name] = ("failed", str(error))
            return None
        print(f"{spent.seconds:6.0f} s, {spent.cpu:5.1f} of CPU  {told[:80]}", file=sys.stderr, flush=True)
        return spent

    def crawl(self, crawler: Crawler, web: Web, pages: int = 0) -> tuple[list[tuple[str, int]], Spent] | None:
        """The URLs that a crawler asked for, each with the status of its answer, and the crawl's cost; None: it failed.

        pages: for crawlers that shall stop. A web on 127.0.0.1 is reached directly, others by the proxy.
        """
        server = Server(web.replies)
        is_local = web.seeds[0].startswith(f"http://{LOCAL}/")
        seeds = [seed.replace(LOCAL, f"{LOCAL}:{server.port}") for seed in web.seeds]
        command = self.installed[crawler.peer].command(crawler.program) if crawler.program else []
        with tempfile.TemporaryDirectory() as folder:
            for word in crawler.words:
                command += seeds if word == "{seeds}" else [word.format(folder=folder, pages=pages)]
            spent = self.run(crawler.peer, command, extra={} if is_local else server.proxy, fine=_FINE)
        asked = server.end()
        return None if spent is None else (asked, spent)

    def ask(self, name: str, program: str, question: object) -> Any:
        """The answer, by JSON, of a peer's library to a question; None if it fails. program: without its ending."""
        command = self.installed[name].command(program, name)
        spent = self.run(name, command, given=json.dumps(question).encode())
        return None if spent is None else json.loads(spent.output)

    def there(self, crawlers: Sequence[Crawler]) -> list[Crawler]:
        return [crawler for crawler in crawlers if not crawler.peer or crawler.peer in self.installed]

    def peers_as_json(self, peers: Sequence[Peer]) -> Iterator[dict[str, Any]]:
        for peer in peers:
            state, reason = self.absent.get(peer.name, ("measured", ""))
            version = self.installed[peer.name].version if peer.name in self.installed else None
            yield {
                "name": peer.name, "registry": peer.registry, "packages": list(peer.packages), "licence": peer.licence,
                "version": version, "state": state, "reason": reason,
            }  # fmt: skip


@dataclass(frozen=True)
class Suite:
    """A subject. doc: the docstring of its module: a line, what is measured, and a list of notes on fairness."""

    name: str
    title: str
    doc: str
    peers: Sequence[Peer]
    run: Callable[[Bench], Iterator[Table]]

    def notes(self) -> tuple[str, list[str]]:
        """What is measured, and the notes on fairness, each on one line."""
        _, measures, notes = self.doc.strip().split("\n\n")
        return " ".join(measures.split()), [" ".join(note.split()) for note in f"\n{notes}".split("\n- ")[1:]]


_Made = TypeVar("_Made")


def tables(about: Mapping[str, Callable[[], _Made]], table: Callable[[str, _Made], Table]) -> Iterator[Table]:
    """A table under each title; where its subject cannot be had, one that says why."""
    for title, make in about.items():
        try:
            yield table(title, make())
        except UnavailableError as error:
            yield Table(title, (), (), f"Not to be had: {error}.")


def ours(*words: str) -> list[str]:
    """A command of minicrawl, without files of settings."""
    return [sys.executable, "-m", "minicrawl", "--config", "none", *words]
