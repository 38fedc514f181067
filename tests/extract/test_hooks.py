"""Hooks: where they are found, what they may do, and what comes of those that fail; settings checked beforehand."""

import json
import math
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.sandbox_calls import UnspeakableError
from support.sites import crawl

from minicrawl.errors import SettingError
from minicrawl.extract.document import Page
from minicrawl.extract.hooks import Hook, Hooks, load_hooks, wrong_hook

LINKS = ("http://a.test/x", "http://a.test/y", "http://a.test/z")
PAGE = Page("http://a.test/", 200, None, b"<h1>One</h1>", "t", LINKS)


def hooks(*calls: Callable[..., Any], kind: str = "on_page") -> Hooks:
    return Hooks([Hook(call.__name__, kind, call) for call in calls])


def one(page: Page) -> dict[str, object]:
    return {"title": page.css("h1")[0], "none": None}


def several(page: Page) -> Iterator[dict[str, object]]:
    yield {"a": 1}
    yield {"b": [page.title]}


def none(page: Page) -> None:
    return None


def fails(page: Page) -> None:
    raise KeyError("price")


def fails_midway(page: Page) -> Iterator[dict[str, object]]:
    yield {"first": 1}
    raise ValueError("no more")


def test_items_are_what_hooks_return_or_yield() -> None:
    items, failures = hooks(one, several, none).on_page(PAGE)
    assert [json.loads(item) for item in items] == [{"title": "One", "none": None}, {"a": 1}, {"b": ["t"]}]
    assert failures == []


def exits(page: Page) -> None:
    sys.exit(3)


def interrupts(page: Page) -> None:
    raise KeyboardInterrupt


def mute(page: Page) -> None:
    raise UnspeakableError


def test_what_a_hook_raises_is_counted_and_the_others_go_on() -> None:
    items, failures = hooks(fails, fails_midway, exits, interrupts, mute, one).on_page(PAGE)
    assert [(failure.hook, failure.what) for failure in failures] == [
        ("fails", "KeyError: 'price'"),
        ("fails_midway", "ValueError: no more"),
        ("exits", "SystemExit: 3"),
        ("interrupts", "KeyboardInterrupt: "),
        ("mute", "UnspeakableError"),
    ]
    assert "in fails_midway" in failures[1].trace
    assert [json.loads(item) for item in items] == [{"first": 1}, {"title": "One", "none": None}]


def endless_dict() -> dict[str, object]:
    item: dict[str, object] = {}
    item["a"] = item
    return item


def deep_list() -> list[object]:
    found: list[object] = []
    for _ in range(100_000):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        (5, "TypeError"),
        ([{"a": object()}], "TypeError"),
        ({"a": math.nan}, "ValueError"),
        (endless_dict(), "ValueError"),
        ({"a": deep_list()}, "RecursionError"),
        ({"a": 10**5_000}, "ValueError"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, (dict, list)) else str(value),
)
def test_what_is_no_item_is_a_failure(found: object, kind: str) -> None:
    """All that JSON cannot say, or not so that others read it."""
    items, (failure,) = hooks(lambda page: found).on_page(PAGE)
    assert items == []
    assert failure.what.startswith(f"{kind}: ")


def test_links_can_be_left_out_only() -> None:
    def first_two(page: Page, links: tuple[str, ...]) -> tuple[str, ...]:
        return links[:2]

    def not_x(page: Page, links: tuple[str, ...]) -> list[str]:
        assert links == LINKS[:2], "what the hook before has kept"
        return [*(link for link in links if not link.endswith("x")), "http://evil.test/"]

    kept, failures = hooks(first_two, not_x, kind="links").links(PAGE)
    assert kept is not None
    assert kept & set(LINKS) == {"http://a.test/y"}
    assert failures == []
    assert hooks(fails, kind="links").links(PAGE)[0] is None, "a hook that fails leaves out none"


def test_headers_of_a_request() -> None:
    def token(url: str) -> dict[str, str]:
        return {"X-Token": url[-1]}

    def evil(url: str) -> dict[str, str]:
        return {"X-A": "1\r\nHost: evil.test"}

    headers, failures = hooks(token, evil, lambda url: None, kind="request").request("http://a.test/7")
    assert headers == (("X-Token", "7"),)
    assert [failure.hook for failure in failures] == ["evil"]


def test_hook_that_never_returns_is_stopped_and_the_others_go_on() -> None:
    def hangs(page: Page) -> None:
        while True:
            try:
                while True:
                    pass
            except ValueError:
                pass

    before = signal.getsignal(signal.SIGPROF)
    called = Hooks([Hook("hangs", "on_page", hangs), Hook("one", "on_page", one)], longest=1.0)
    items, (failure,) = called.on_page(PAGE)
    assert [json.loads(item) for item in items] == [{"title": "One", "none": None}]
    assert (failure.hook, failure.what) == ("hangs", "TimeoutError: it took more than 1 s")
    assert signal.getsignal(signal.SIGPROF) is before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_hook_that_catches_its_end_is_stopped_again() -> None:
    caught: list[str] = []

    def stubborn(page: Page) -> None:
        while len(caught) < 3:
            try:
                while True:
                    pass
            except TimeoutError as error:
                caught.append(str(error))

    Hooks([Hook("stubborn", "on_page", stubborn)], longest=0.1).on_page(PAGE)
    assert len(caught) == 3


def test_call_that_is_stopped_as_it_ends_leaves_no_alarm() -> None:
    """The time of such a call is up while the alarm is being taken back."""

    def spins(_: Page) -> None:
        until = time.process_time() + 0.004 - rng.uniform(0, 0.0003)
        while time.process_time() < until:
            pass

    rng = random.Random(1)
    called = Hooks([Hook("spins", "on_page", spins)], longest=0.004)
    before = signal.getsignal(signal.SIGPROF)
    for _ in range(60):
        called.on_page(PAGE)
        assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
        assert signal.getsignal(signal.SIGPROF) == before


def test_start_and_end_are_told_and_a_start_only_once() -> None:
    seen: list[str] = []
    called = Hooks(
        [Hook("a", "started", lambda: seen.append("started")), Hook("b", "stopped", lambda: seen.append("stopped"))]
    )
    assert [called.started(), called.started(), called.stopped()] == [[], [], []]
    assert seen == ["started", "stopped"]


CODE = """
def on_page(page): return {"from": "on_page"}
def links(page, links): return links
def mine(page): return {"from": "mine"}
five = 5
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "my_hooks.py").write_text(CODE)
    (tmp_path / "broken.py").write_text("1 / 0")
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "ends.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    sys.modules.pop("my_hooks", None)


@pytest.mark.parametrize(
    ("spec", "found"), [("my_hooks.py", ["on_page"]), ("my_hooks.py:mine", ["mine"]), ("my_hooks:mine", ["mine"])]
)
def test_hooks_are_found_by_module_or_file(folder: Path, spec: str, found: list[str]) -> None:
    hooks = load_hooks((spec,))
    items, failures = Hooks(hooks).on_page(PAGE)
    assert [json.loads(item)["from"] for item in items] == found
    assert failures == []
    assert ("links" in {hook.kind for hook in hooks}) == (spec == "my_hooks.py")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("no_such", r"--hook no_such: no_such cannot be imported \(ModuleNotFoundError"),
        ("broken.py", r"--hook broken\.py: broken\.py cannot be imported \(ZeroDivisionError"),
        ("empty.py", r"--hook empty\.py: it has none of on_page, .*; name the function: empty\.py:FUNCTION"),
        ("my_hooks:other", r"--hook my_hooks:other: my_hooks has no function other"),
        ("ends.py", r"--hook ends\.py: ends\.py cannot be imported \(SystemExit: 3\)"),
    ],
)
def test_hooks_that_cannot_be_had_are_one_sentence(folder: Path, spec: str, sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence) as error:
        load_hooks((spec,))
    assert "\n" not in str(error.value)
    assert wrong_hook((spec,)) == str(error.value)


def test_entry_points_are_hooks_by_their_names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = folder / "my_plugin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[minicrawl.hooks]\nwhole = my_hooks\npart = my_hooks:mine\n")
    monkeypatch.syspath_prepend(str(folder))
    assert [json.loads(item)["from"] for item in Hooks(load_hooks(("whole", "part"))).on_page(PAGE)[0]] == [
        "on_page",
        "mine",
    ]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"extract": ["a=p"]}, r"--extract needs a file for what it finds: --items FILE\.jsonl, \.csv or \.parquet"),
        ({"extract_structured": True}, "--extract-structured needs a file"),
        ({"extract": ["a=p"], "items": "items.txt"}, r"must end with one of \.jsonl, \.csv, \.parquet, not '\.txt'"),
        ({"extract": ["more=p"], "items": "items.parquet"}, "has a column 'more' already"),
        ({"hook": ["no_such_module"]}, "--hook no_such_module: no_such_module cannot be imported"),
    ],
)
def test_what_cannot_be_had_is_told_before_there_is_a_store(
    tmp_path: Path, settings: dict[str, object], sentence: str
) -> None:
    with pytest.raises(SettingError, match=sentence):
        crawl({}, tmp_path / "crawl.db", ["http://a.test/"], **settings)
    assert list(tmp_path.iterdir()) == []


def test_file_of_something_else_is_told_before_there_is_a_store(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text("letters")
    with pytest.raises(SettingError, match="already exists"):
        crawl({}, tmp_path / "crawl.db", ["http://a.test/"], extract=["a=p"], items=str(tmp_path / "items.jsonl"))
    assert [path.name for path in tmp_path.iterdir()] == ["items.jsonl"]
