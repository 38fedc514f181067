"""Failures of hooks, counted over all runs."""

from pathlib import Path

from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.steps.kept import HookFailures
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, ParsedPage, State
from minicrawl.store.writer import Writer


def answered(*failures: tuple[str, str]) -> Turn:
    parsed = ParsedPage(hook_failures=failures)
    return Turn(0, Fetched("http://a.test/", status=200), parsed, Outcome(State.FETCHED, "ok"), 0.0)


def test_failures_are_counted_over_runs(tmp_path: Path) -> None:
    for _ in range(2):
        writer = Writer(tmp_path / "crawl.db")
        failures = HookFailures(writer)
        failures.on_answer(answered(("one", "KeyError: 'x'"), ("two", "KeyError: 'x'")))
        failures.on_answer(answered(("one", "KeyError: 'x'")))
        with writer.transaction():
            failures.save(writer)
        counted = writer.meta_json("hook_errors")
        writer.close()
    assert counted == {"one": 4, "two": 2}
