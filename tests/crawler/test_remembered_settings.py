"""Settings of a crawl that goes on: given, else remembered, else the default."""

import json
from pathlib import Path
from typing import Any

import pytest

from minicrawl.crawler.remembered_settings import Source, resumed
from minicrawl.errors import SettingError
from minicrawl.settings import SETTINGS, CrawlSettings


def kept(**settings: Any) -> dict[str, Any]:
    """What a store keeps of a crawl with these settings."""
    found: dict[str, Any] = json.loads(CrawlSettings(**settings).to_json(Path()))
    return found


EXAMPLES: dict[str, Any] = {
    "pages": 5,
    "time": 60,
    "bytes": 1000,
    "until_coverage": 0.5,
    "retry": "dns",
    "on_change": "true told",
    "scope": "host",
    "allow": ("a", "b"),
    "deny": "c",
    "max_depth": 3,
    "keep_parameters": True,
    "traps": False,
    "sitemaps": False,
    "delay": "2s",
    "host_delay": ("a.test=3s",),
    "ip_delay": 3,
    "per_host": 2,
    "concurrency": 7,
    "workers": 1,
    "strategy": "cycle",
    "jump": "pages",
    "discovery": 0.5,
    "refresh": True,
    "refresh_min": "2h",
    "recrawl_after": "30d",
    "render": ("/app/",),
    "chromium": "/opt/chromium",
    "screenshots": True,
    "pdf": True,
    "archive": "kept",
    "from_archive": ("read",),
    "dedup": False,
    "requisites": True,
    "boost": "x=2",
    "topic": "ü",
    "text": True,
    "audit": True,
    "search": True,
    "extract": ("title=h1",),
    "extract_structured": True,
    "items": "items.jsonl",
    "hook": ("hooks.py",),
    "user_agent": "me/1",
    "header": "A: b",
    "auth": ("a.test=me:hush",),
    "cookies": True,
    "cookie_file": "cookies.txt",
    "proxy": ("*.a.test=none", "http://p.test:3128"),
    "ignore_robots": True,
    "respect_usage": ("ai-train", "search"),
    "connect_to": ("::127.0.0.1:8080", "[::1]:80:b.test:"),
    "sign": __file__,
    "signature_agent": "https://crawler.example",
    "ca_file": __file__,
    "allow_private": True,
    "timeout": 5,
    "max_size": "1MB",
    "contact": "me@example.org",
}
FOR_ONE_RUN = {
    *("pages", "time", "bytes", "until_coverage", "retry"),
    *("header", "items", "hook", "on_change"),
}
SECRET = {"auth"}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_remembered_or_is_for_one_run(name: str) -> None:
    """Each example is another value than the default."""
    before, default = CrawlSettings(**{name: EXAMPLES[name]}), CrawlSettings()
    if name in SECRET:
        with pytest.raises(SettingError, match="not kept"):
            resumed(json.loads(before.to_json(Path())), {})
        assert resumed(kept(**{name: EXAMPLES[name]}), {}, [name]).settings == default
        return
    told = resumed(json.loads(before.to_json(Path())), {})
    assert getattr(before, name) != getattr(default, name)
    is_kept = name not in FOR_ONE_RUN
    assert getattr(told.settings, name) == getattr(before if is_kept else default, name)
    assert told.sources[name] == (Source.STORE if is_kept else Source.DEFAULT)
    assert told.changes == ()
    assert resumed(kept(**{name: EXAMPLES[name]}), {}, [name]).settings == default


def test_what_is_given_wins_and_is_told() -> None:
    told = resumed(kept(scope="prefix", delay=2, max_depth=3), {"scope": "any", "delay": "2s", "pages": 5})
    assert (told.settings.scope, told.settings.delay, told.settings.max_depth) == ("any", 2, 3)
    assert told.changes == ("scope: prefix -> any",)
    assert told.sources["delay"] == told.sources["pages"] == Source.GIVEN


def test_a_new_store_has_nothing_to_change() -> None:
    told = resumed({}, {"scope": "site"})
    assert told.changes == ()
    assert told.sources["delay"] == Source.DEFAULT


def test_a_change_of_many_values_is_one_line() -> None:
    rules = [f"h{number}.test::127.0.0.1:80" for number in range(5)]
    assert resumed(kept(connect_to=rules), {"connect_to": rules[1:]}).changes == ("connect-to: 5 of them -> 4 of them",)
    assert resumed(kept(max_depth=3), {"max_depth": None}).changes == ("max-depth: 3 -> none",)


def test_a_store_of_an_older_version_knows_fewer_settings() -> None:
    told = resumed({"scope": "host", "some_old_setting": 1}, {})
    assert told.settings == CrawlSettings(scope="host")


def test_a_login_whose_password_is_not_kept_is_not_left_out_silently() -> None:
    before = kept(auth=["a.test=me:hush", "you:hush"])
    assert "hush" not in json.dumps(before)
    with pytest.raises(
        SettingError, match=r"logged in at a\.test, the origins of the seeds, .*: give --auth again, or"
    ):
        resumed(before, {})
    assert resumed(before, {"auth": ["a.test=me:other", "you:hush"]}).changes == ()
    assert resumed(before, {"auth": "b.test=me:hush"}).changes == ("auth: a.test=***, *** -> b.test=***",)
    assert CrawlSettings.from_json(before).shown()["auth"] == ("a.test=***", "***")


def test_a_proxy_whose_password_is_not_kept_is_not_left_out_silently() -> None:
    before = kept(proxy="http://me:hush@p.test:1")
    assert "hush" not in json.dumps(before)
    assert "me" not in before["proxy"][0]
    with pytest.raises(SettingError, match=r"http://\*\*\*@p.test:1, whose password is not kept: give --proxy again"):
        resumed(before, {})
    assert resumed(before, {"proxy": "http://me:hush@p.test:1"}).changes == ()
    assert resumed(before, {"proxy": "http://me:hush@q.test:1"}).changes == (
        "proxy: http://***@p.test:1 -> http://***@q.test:1",
    )
    assert resumed(before, {}, ["proxy"]).settings.proxy == ()


def test_options_to_forget_are_spelled_as_on_the_command_line() -> None:
    assert resumed(kept(max_depth=3), {}, ["--max-depth"]).settings.max_depth is None
    assert resumed(kept(max_depth=3), {"max_depth": 4}, ["max-depth"]).settings.max_depth == 4
    with pytest.raises(SettingError, match="--forget takes the name of an option"):
        resumed({}, {}, ["depth"])
