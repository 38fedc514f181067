"""Each job of docs/jobs.md, command by command, in an empty folder."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.documents import ROOT, text
from support.small_web import small_web

from minicrawl.cli import main

PAGE = ROOT / "docs" / "jobs.md"
SECTIONS = [section.split("\n", 1) for section in text(PAGE).split("\n## ")[1:]]
JOBS = {title: re.findall(r"^\d+\. `(.+?)`", rest, re.MULTILINE) for title, rest in SECTIONS}
WRITTEN = re.compile(r"\S+\.(?:csv|gz|html|wacz|graphml|xml|db|jsonl)")
ASKING = ("crawl", "watch")
"""Commands that take options of requests; a store remembers them for others."""
FINDS = {("audit",): (0, 1), ("archive", "missing"): (0, 1)}
"""Exit codes of commands that may find something."""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with small_web() as port:
        yield port


def test_jobs_are_seven_lists_of_commands() -> None:
    assert len(JOBS) == 7
    for commands in JOBS.values():
        assert len(commands) >= 4
        assert all(command.startswith(("minicrawl ", "printf ")) for command in commands)


@pytest.mark.parametrize("job", JOBS)
def test_a_job_is_done_from_an_empty_folder(
    job: str, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the small web, in plain HTTP and without waiting."""
    monkeypatch.chdir(tmp_path)
    for command in JOBS[job]:
        shown = command.replace("https://", "http://")
        if not shown.startswith("minicrawl "):
            subprocess.run(shown, shell=True, check=True)
            continue
        words = shlex.split(shown)[1:]
        if words[0] in ASKING and "--last" not in words:
            words += ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "--ip-delay", "0"]
        result = CliRunner().invoke(main, words)
        codes = next((codes for begin, codes in FINDS.items() if (*words[: len(begin)],) == begin), (0,))
        assert result.exit_code in codes, (words, result.output, result.stderr, result.exception)
    for name in WRITTEN.findall(" ".join(JOBS[job])):
        assert Path(name).stat().st_size, name
