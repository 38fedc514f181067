"""Settings of the test run itself, and what it says of tests that take long."""

import asyncio
import gc
import inspect
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from support import needs, skipping
from support.chromium import chromium

LONG = 5.0
"""Seconds of CPU; a test that takes more is to be marked as slow."""
_LONG_ONES: list[tuple[float, str]] = []
_BEGAN = pytest.StashKey[float]()
_MEMORY = Path("/dev/shm")
_ROOM = 2**30  # bytes: several times what all tests have in their folders at a time


def pytest_configure(config: pytest.Config) -> None:
    """Make a run the same wherever it is started: by whatever shell, with whatever options of the user's own.

    Files of tests are kept in memory where there is room: a crawl waits for the disk a dozen times.
    """
    if absent := ", ".join(needs.missing()):
        raise pytest.UsageError(f"{needs.VARIABLE} names what is not here: {absent}")
    os.environ["MINICRAWL_CONFIG"] = "none"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # workers and what tests start would compile everything anew
    sys.dont_write_bytecode = False
    gc.disable()  # what is imported stays: no collection finds anything in it
    if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))
    # An example may take long on a machine that has other things to do, and be no fault. What CI runs tries the same
    # examples each time; who wants new ones says --hypothesis-profile exploring.
    unhurried: Any = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
    hypothesis.settings.register_profile("repeatable", derandomize=True, max_examples=25, **unhurried)
    hypothesis.settings.register_profile("exploring", derandomize=False, max_examples=500, print_blob=True, **unhurried)
    if not config.getoption("--hypothesis-profile"):
        hypothesis.settings.load_profile("repeatable")
    # A shell lets what runs in its background ignore Ctrl-C, and nohup lets it ignore SIGHUP. What tests start would
    # ignore both as well; what is caught here is not ignored there, and does not end this process either.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores, since many a test waits for a process or a server."""
    return (os.cpu_count() or 1) + 1


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Of all files, `-m slow` imports those that name the mark or one made of it: a tenth."""
    if config.option.markexpr != "slow" or collection_path.suffix != ".py":
        return None
    return b"slow" not in collection_path.read_bytes() or None


def pytest_itemcollected(item: pytest.Item) -> None:
    needs.skip_what_lacks(item)


def pytest_collection_finish() -> None:
    """Thousands of tests are objects that stay: not to look through them again and again saves a part of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(autouse=True)
def _leaks_are_its_own(request: pytest.FixtureRequest) -> Iterator[None]:
    """Collect what a test has left open, so that the warning fails this test and none that comes later.

    What has passed leaves at most young objects. A traceback keeps everything alive that was in the frames of a test
    that has failed, and pytest keeps that until the next one runs.
    """
    failed = request.session.testsfailed
    yield
    if request.session.testsfailed == failed:
        gc.collect(1)
        return
    for name in ("last_exc", "last_value", "last_traceback"):
        vars(sys).pop(name, None)
    gc.collect()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where a store may be made."""
    return tmp_path / "crawl.db"


@pytest.fixture
def crawled(store: Path) -> Path:
    from support.sites import crawl, random_site

    site, seeds = random_site(2)
    crawl(site, store, seeds, pages=12)
    return store


@pytest.fixture(scope="session")
def ray() -> Iterator[str]:
    """Ray, for all crawls in partitions of this session; its address for those of other processes."""
    from minicrawl.cluster.ray import connected

    with connected(None, 3):
        import ray

        yield str(ray.get_runtime_context().gcs_address)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


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
    """Name the tests that take long without being marked as slow, its process and those it started counted, and count
    what was skipped by reason."""
    if _LONG_ONES:
        terminalreporter.section(f"more than {LONG:g} s of CPU, and not marked as slow")
        for seconds, name in sorted(_LONG_ONES, reverse=True):
            terminalreporter.line(f"{seconds:6.1f} s  {name}")
    if skipped := Counter(report.longrepr[2] for report in terminalreporter.getreports("skipped")):
        terminalreporter.line("; ".join(f"{reason.lower()}: {count}" for reason, count in sorted(skipped.items())))


def _cpu() -> float:
    """Seconds of CPU that this process and all it waited for have taken."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
