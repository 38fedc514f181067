"""Settings of the test run itself, and what it says of tests that take long."""

import gc
import os
import shutil
import signal
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest
import skipping

LONG = 5.0
"""Seconds of CPU; a test that takes more is to be marked as slow."""
_LONG_ONES: list[tuple[float, str]] = []
_BEGAN = pytest.StashKey[float]()
_MEMORY = Path("/dev/shm")
_ROOM = 2**30  # bytes: several times what all tests have in their folders at a time


def pytest_configure() -> None:
    """Keep the files of tests in memory where there is room: a crawl waits for the disk a dozen times.

    And let nobody's own options be in the way.
    """
    os.environ["MINICRAWL_CONFIG"] = "none"
    if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))
    # An example may take long on a machine that has other things to do, and be no fault.
    hypothesis.settings.register_profile("any machine", deadline=None)
    hypothesis.settings.load_profile("any machine")
    # A shell lets what runs in its background ignore Ctrl-C, and the crawls that tests start would do so as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Thousands of tests are objects that stay: not to look through them again and again saves a part of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    item.stash[_BEGAN] = _cpu()
    skipping.set_clock()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    try:
        return (yield)
    finally:
        seconds = _cpu() - item.stash[_BEGAN]
        if seconds > LONG and item.get_closest_marker("slow") is None:
            item.user_properties.append(("long", seconds))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":
        found = (value for name, value in report.user_properties if name == "long")
        _LONG_ONES.extend((float(str(seconds)), report.nodeid) for seconds in found)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests that take long without being marked as slow, its process and those it started counted."""
    if _LONG_ONES:
        terminalreporter.section(f"more than {LONG:g} s of CPU, and not marked as slow")
        for seconds, name in sorted(_LONG_ONES, reverse=True):
            terminalreporter.line(f"{seconds:6.1f} s  {name}")


def _cpu() -> float:
    """Seconds of CPU that this process and all it waited for have taken."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
