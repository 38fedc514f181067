"""CPU per page of a crawl, stage by stage, beside that of another revision.

    python bench/pages.py [--against REV] [--runs 5] [--python PYTHON] [SEEDS and options of 'minicrawl crawl']

Both revisions crawl the same pages by turns, each in a process and a store of its own; without SEEDS, 1,500 pages of
the demo's web. --against builds REV in a new environment with the libraries that it asks for; --python is an
environment that has it already. The table has microseconds of CPU per page, the median of all runs. A stage is a folder
of the package: a thread that samples all others books their CPU to the innermost module of minicrawl in their stacks,
libraries and the interpreter included. Stages that grew by more than 5 % are marked, and the exit code is 1 then.
"""

import argparse
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType

_HERE = Path(__file__).parent.parent
_BETWEEN = 0.001  # seconds between samples
_SWITCH = (
    0.0001  # seconds that a sample waits for the interpreter: with Python's 5 ms, it would mostly meet system calls
)
_GROWN, _NOISE = 1.05, 5.0  # us a page below which no growth counts
_LOOP, _IMPORTS, _CHILDREN = "event loop", "imports", "child processes"
_LEAST, _ALL = "MB at most", "all"


class Sampler(threading.Thread):
    """Books the CPU of all other threads to stages, in seconds."""

    def __init__(self, root: Path) -> None:
        super().__init__(daemon=True)
        self._root = f"{root}{os.sep}"
        self._stages: dict[str, str | None] = {}  # by file
        self._clocks: dict[int, float] = {}  # by thread, at the last sample
        self.spent = dict[str, float]()
        self.own = 0.0

    def run(self) -> None:
        while True:
            time.sleep(_BETWEEN)
            for thread, frame in sys._current_frames().items():
                if thread != self.ident:
                    self._sample(thread, frame)
            self.own = time.thread_time()

    def _sample(self, thread: int, frame: FrameType) -> None:
        try:
            now = time.clock_gettime(time.pthread_getcpuclockid(thread))
        except OSError:  # it has ended
            return
        spent = now - self._clocks.get(thread, 0.0)
        self._clocks[thread] = now
        if spent > 0:
            stage = self._stage(frame)
            self.spent[stage] = self.spent.get(stage, 0.0) + spent

    def _stage(self, innermost: FrameType) -> str:
        frame: FrameType | None = innermost
        found = None
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith("<frozen importlib"):
                return _IMPORTS
            if found is None and frame.f_code.co_name == "_run_once":
                found = _LOOP
            if found is None:
                if file not in self._stages:
                    self._stages[file] = self._folder(file)
                found = self._stages[file]
            frame = frame.f_back
        return found or "libraries"

    def _folder(self, file: str) -> str | None:
        if not file.startswith(self._root):
            return None
        return "/".join(Path(file[len(self._root) :]).parent.parts[:2]) or "minicrawl"


def sampled(words: Sequence[str]) -> dict[str, float]:
    """Microseconds per page of one crawl in this process, by stage, and its memory."""
    sys.setswitchinterval(_SWITCH)
    import minicrawl  # noqa: PLC0415 - that of the environment it runs in

    sampler = Sampler(Path(minicrawl.__file__).parent)
    sampler.start()
    from minicrawl.cli import main  # noqa: PLC0415 - sampled

    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        stdout = os.dup(1)
        with report.open("w") as file:
            os.dup2(file.fileno(), 1)
            main(["crawl", *words, "--json", "--no-progress", "--store", f"{folder}/bench.db"], standalone_mode=False)
            sys.stdout.flush()
            os.dup2(stdout, 1)
        pages = json.loads(report.read_text())["fetched"]
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = dict(sampler.spent) | {_CHILDREN: children.ru_utime + children.ru_stime}
    spent[_ALL] = own.ru_utime + own.ru_stime + spent[_CHILDREN] - sampler.own
    return {stage: 1e6 * seconds / pages for stage, seconds in spent.items()} | {_LEAST: own.ru_maxrss / 1024}


@contextmanager
def built(revision: str) -> Iterator[str]:
    """The Python of a new environment with `revision`."""
    with tempfile.TemporaryDirectory() as folder:
        for command in (
            ["git", "-C", str(_HERE), "worktree", "add", "-q", "--detach", f"{folder}/tree", revision],
            [sys.executable, "-m", "venv", f"{folder}/env"],
            [f"{folder}/env/bin/pip", "install", "-q", "--disable-pip-version-check", f"{folder}/tree"],
        ):
            subprocess.run(command, check=True)
        try:
            yield f"{folder}/env/bin/python"
        finally:
            subprocess.run(["git", "-C", str(_HERE), "worktree", "remove", "--force", f"{folder}/tree"], check=True)


@contextmanager
def demo() -> Iterator[list[str]]:
    """The demo's web, served on loopback: the words for a crawl of it."""
    command = [sys.executable, "-m", "minicrawl", "demo", "--serve", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_HERE) as server:
        assert server.stdout is not None
        words = next(shlex.split(line) for line in server.stdout if " crawl " in line)
        yield [*words[words.index("crawl") + 1 :], "--delay", "0", "--pages", "1500"]
        server.terminate()


def run(python: str, words: Sequence[str]) -> dict[str, float]:
    """One crawl with the minicrawl of a Python; of this tree with this one."""
    path = {"PYTHONPATH": str(_HERE)} if python == sys.executable else {}
    command = [python, __file__, "--sampled", json.dumps(list(words))]
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(command, env=os.environ | path, cwd=elsewhere, stdout=subprocess.PIPE, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def table(before: Sequence[dict[str, float]], now: Sequence[dict[str, float]]) -> bool:
    """Print the medians; returns whether a stage grew."""
    sides = [side for side in (before, now) if side]
    stages = {stage for side in sides for figures in side for stage in figures}
    medians = [{stage: statistics.median(one.get(stage, 0.0) for one in side) for stage in stages} for side in sides]
    grew = False
    print(f"{'us a page':<28}" + ("   before      now" if before else "      now"))
    for stage in sorted(stages, key=lambda stage: (stage in (_ALL, _LEAST), -medians[-1][stage])):
        first, last = medians[0][stage], medians[-1][stage]
        has_grown = last > _GROWN * first and last - first > _NOISE
        grew = grew or has_grown
        share = f" {last / first:8.2f}" if before and first else ""
        print(f"{stage:<28}" + "".join(f"{one[stage]:>9.0f}" for one in medians) + share + "  grew" * has_grown)
    return grew


def main() -> int:
    parser = argparse.ArgumentParser(usage=(__doc__ or "").split("\n\n")[1].strip())
    parser.add_argument("--against")
    parser.add_argument("--python")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sampled", type=json.loads)
    given, words = parser.parse_known_args()
    if given.sampled is not None:
        print(json.dumps(sampled(given.sampled)))
        return 0
    web = demo() if not words else nullcontext([_whole(word) for word in words])
    other = built(given.against) if given.against else nullcontext(given.python)
    before, now = [], []
    with web as crawl, other as python:
        for _ in range(given.runs):
            if python:
                before.append(run(python, crawl))
            now.append(run(sys.executable, crawl))
    return table(before, now)


def _whole(word: str) -> str:
    """An argument with a whole path, if it is a file: a crawl runs in another folder."""
    mark = "@" * word.startswith("@")
    return f"{mark}{Path(word[len(mark) :]).resolve()}" if Path(word[len(mark) :]).is_file() else word


if __name__ == "__main__":
    sys.exit(main())
