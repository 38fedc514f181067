"""What hooks did wrong, counted over all runs."""

from pathlib import Path

import pytest

from minicrawl.crawler.visits.hook_failures import HookFailures
from minicrawl.errors import HookError
from minicrawl.store.writer import Writer


def test_failures_are_counted_over_runs(tmp_path: Path) -> None:
    for _ in range(2):
        writer = Writer(tmp_path / "crawl.db")
        failures = HookFailures(writer, stops=False)
        failures.note("http://a.test/", [("one", "KeyError: 'x'"), ("two", "KeyError: 'x'")])
        failures.note("http://b.test/", [("one", "KeyError: 'x'")])
        with writer.transaction():
            failures.save(writer)
        counted = writer.meta_json("hook_errors")
        writer.close()
    assert counted == {"one": 4, "two": 2}


def test_first_failure_ends_a_strict_crawl(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "crawl.db")
    failures = HookFailures(writer, stops=True)
    failures.note("http://a.test/", [])
    with pytest.raises(
        HookError, match=r"hook one failed over http://a\.test/ \(KeyError: 'x'\); mend it, or leave out"
    ):
        failures.note("http://a.test/", [("one", "KeyError: 'x'")])
    writer.close()
