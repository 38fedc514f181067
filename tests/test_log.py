"""The log: every event is in the documentation with its level and keys, and a crawl logs nothing else."""

import inspect
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command_line import end_logs, run
from support.documents import ROOT, rows
from support.small_web import small_web

from minicrawl import log

TYPES: dict[Any, str] = {str: "string", int: "integer", float: "number", Exception: "string"}
TYPES |= {int | None: "integer or null", str | None: "string or null"}
VALUES: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "null": type(None)}
ALWAYS = {"time", "level", "event", "message"}


def documented() -> dict[str, tuple[str, dict[str, str]]]:
    """Level and keys of each event, as the documentation has them."""
    table = (row for row in rows(ROOT / "docs/logs.md") if row[0].startswith("`"))
    return {row[0].strip("`"): (row[1], dict(re.findall(r"`(\w+)` ([a-z ]+)", row[2]))) for row in table}


def test_documentation_has_every_event_with_its_level_and_keys() -> None:
    declared = {"message": ("any", dict[str, str]())}
    for name, (level, event) in log.EVENTS.items():
        keys = inspect.signature(event, eval_str=True).parameters.values()
        declared[name] = logging.getLevelName(level).lower(), {key.name: TYPES[key.annotation] for key in keys}
    assert documented() == declared


def test_keys_of_an_event_hide_none_that_every_line_has() -> None:
    assert not any(ALWAYS & set(keys) for _, keys in documented().values())


def test_what_is_logged_is_an_event_and_every_event_is_logged() -> None:
    modules = {path: path.read_text() for path in (ROOT / "minicrawl").rglob("*.py")}
    del modules[ROOT / "minicrawl/log.py"]
    logging_itself = {str(path.relative_to(ROOT)) for path, code in modules.items() if "import logging\n" in code}
    carried = {f"minicrawl/{name}.py" for name in ("cli/options", "crawler/sources/worker", "crawler/sources/workers")}
    assert logging_itself == carried
    calls = {name for code in modules.values() for name in re.findall(r"\blog\.(\w+)\b", code)}
    assert {name.replace("-", "_") for name in log.EVENTS} <= calls


@pytest.fixture
def logged(tmp_path: Path) -> Iterator[list[dict[str, Any]]]:
    """Lines of a crawl in a worker process, with a hook that fails."""
    (tmp_path / "hooks.py").write_text("def on_page(page):\n    raise ValueError('no\\nfields')\n")
    words = ["--workers", "1", "--hook", str(tmp_path / "hooks.py"), "--items", str(tmp_path / "items.jsonl")]
    words += ["--log-file", str(tmp_path / "log"), "--log-format", "json", "--allow-private", "--delay", "0", "-q"]
    with small_web() as port:
        words += ["--connect-to", f"::127.0.0.1:{port}", "--store", str(tmp_path / "crawl.db")]
        result = run("crawl", "http://example.org/", "http://nobody.test:9/", *words)
    try:
        assert result.exit_code == 0, result.output
        yield [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    finally:
        end_logs()


def test_every_line_of_a_crawl_is_as_documented(logged: list[dict[str, Any]]) -> None:
    events = documented()
    for line in logged:
        level, keys = events[line["event"]]
        assert line["level"] == level or level == "any"
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert set(line) == ALWAYS | set(keys) | ({"traceback"} if "error" in keys else set()), line
        for key, kinds in keys.items():
            assert any(isinstance(line[key], VALUES[kind]) for kind in kinds.split(" or ")), (key, line)
            assert not isinstance(line[key], bool)
    asked = {line["url"] for line in logged if line["event"] == "asking"}
    assert "http://example.org/robots.txt" in asked
    done = {line["url"]: line for line in logged if line["event"] == "page-done"}
    assert (done["http://example.org/"]["status"], done["http://example.org/"]["reason"]) == (200, "item-failed")
    (failed,) = (line for line in logged if line["event"] == "hook-failed")
    assert failed["why"] == "ValueError: no fields"
    assert failed["trace"].rstrip().endswith("ValueError: no\nfields")
