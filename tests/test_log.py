"""The log: every event is in the documentation with its level and keys, and a crawl logs nothing else."""

import ast
import json
import logging
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command_line import end_logs, run
from support.documents import ROOT, rows
from support.small_web import Pages, small_web

from minicrawl import log

ALWAYS = {"time", "level", "run", "event", "message"}


def documented() -> dict[str, tuple[str, set[str]]]:
    """Level and keys of each event, as the documentation has them."""
    table = (row for row in rows(ROOT / "docs/logs.md") if row[0].startswith("`"))
    return {row[0].strip("`"): (row[1], set(re.findall(r"`(\w+)`", row[2]))) for row in table}


def logged_events(code: str) -> Iterator[tuple[str, set[str]]]:
    """Name and keys of each event that a module logs."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "log.event":
            keys = {str(key.arg) for key in node.keywords}
            for name in re.findall(r"'([a-z0-9-]+)'", ast.unparse(node.args[0])):
                yield name, keys


def test_every_event_is_logged_and_is_documented_with_its_level_and_keys() -> None:
    modules = {path: path.read_text() for path in (ROOT / "minicrawl").rglob("*.py")}
    logging_itself = {str(path.relative_to(ROOT)) for path, code in modules.items() if "import logging\n" in code}
    carried = {f"minicrawl/crawler/sources/{name}.py" for name in ("worker", "workers")}
    silenced = {"minicrawl/parts/pdf/documents.py"}  # a library's warnings
    assert logging_itself == carried | silenced | {"minicrawl/log.py"}
    found = [one for code in modules.values() for one in logged_events(code)]
    table = documented()
    assert table.pop("message") == ("any", set())
    assert {name: logging.getLevelName(level).lower() for name, (level, _) in log.EVENTS.items()} == {
        name: level for name, (level, _) in table.items()
    }
    assert {name for name, _ in found} == table.keys()
    assert not [(name, keys) for name, keys in found if table[name][1] != keys or ALWAYS & keys]
    for name, (_, sentence) in log.EVENTS.items():
        assert {key for _, key, _, _ in string.Formatter().parse(sentence) if key} <= table[name][1]


class Faulty(Pages):
    """Three more hosts: one that robots.txt forbids, one that asks for a rest, and one that is broken."""

    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        host = self.headers["Host"]
        is_robots = self.path == "/robots.txt"
        if host == "forbidden.test" and is_robots:
            self.answer(200, b"User-agent: *\nDisallow: /")
        elif host == "busy.test" and not is_robots:
            self.answer(429, b"", ("Retry-After", "3600"))
        elif host == "broken.test" and not is_robots:
            self.answer(500, b"")
        else:
            super().do_GET()


@pytest.fixture
def logged(tmp_path: Path) -> Iterator[list[dict[str, Any]]]:
    """Lines of a crawl in a worker process, with a hook that fails, an archive, an index, and hosts with faults."""
    (tmp_path / "hooks.py").write_text("def on_page(page):\n    raise ValueError('no\\nfields')\n")
    words = ["--workers", "1", "--hook", str(tmp_path / "hooks.py"), "--items", str(tmp_path / "items.jsonl")]
    words += ["--log-file", str(tmp_path / "log"), "--log-format", "json", "--allow-private", "--delay", ".01", "-q"]
    words += ["--search", "--archive", str(tmp_path / "archive"), "--pages", "17", "--header", "X-Token: hidden"]
    seeds = [
        f"http://{host}/" for host in ("example.org", "forbidden.test", "busy.test", "broken.test", "nobody.test:2")
    ]
    with small_web(Faulty) as port:
        words += ["--connect-to", f"::127.0.0.1:{port}", "--store", str(tmp_path / "crawl.db")]
        result = run("crawl", *seeds, *words)
    try:
        assert result.exit_code == 0, result.output
        yield [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    finally:
        end_logs()


LIFE = {"crawl-started", "crawl-ended", "commit", "asking", "page-done", "page-again", "robots-refused", "host-resting"}
LIFE |= {"archive-file-begun", "archive-file-ended", "index-caught-up", "hook-failed"}


def test_every_line_of_a_crawl_with_faults_is_as_documented(logged: list[dict[str, Any]]) -> None:
    table = documented()
    keys = {name: ALWAYS | keys for name, (_, keys) in table.items()}
    assert not [line for line in logged if line.keys() - {"traceback"} != keys[line["event"]]]
    assert not [line for line in logged if line["level"] not in (table[line["event"]][0], "any")]
    assert len({line["run"] for line in logged}) == 1
    assert {line["event"] for line in logged} >= LIFE
    done = {line["url"]: line for line in logged if line["event"] == "page-done"}
    assert (done["http://example.org/"]["status"], done["http://example.org/"]["reason"]) == (200, "item-failed")
    (failed,) = (line for line in logged if line["event"] == "hook-failed")
    assert failed["why"] == "ValueError: no fields"
    assert failed["trace"].rstrip().endswith("ValueError: no\nfields")
    (started,) = (line for line in logged if line["event"] == "crawl-started")
    assert (started["seeds"], started["settings"]["delay"], started["settings"]["search"]) == (5, 0.01, True)
    assert "hidden" not in str(started)
    (ended,) = (line for line in logged if line["event"] == "crawl-ended")
    assert ended["reason"] == "pages"
    assert ended["pages"] >= sum(line["status"] is not None for line in done.values()) > 3
    (begun,) = (line for line in logged if line["event"] == "archive-file-begun")
    (full,) = (line for line in logged if line["event"] == "archive-file-ended")
    assert full["file"] == begun["file"]
    assert full["bytes"] > 1000


def test_failure_of_a_crawl_is_logged(tmp_path: Path) -> None:
    words = ["--store", str(tmp_path / "crawl.db"), "--log-file", str(tmp_path / "log"), "--log-format", "json", "-q"]
    words += ["--archive", str(tmp_path / "archive"), "--allow-private"]
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "archive").write_text("no folder")
    try:
        with small_web() as port:
            assert run("crawl", "http://a.test/", *words, "--connect-to", f"::127.0.0.1:{port}").exit_code == 3
        lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    finally:
        end_logs()
    (ended,) = (line for line in lines if line["event"] == "crawl-ended")
    assert (ended["reason"], ended["pages"]) == ("failed", None)
