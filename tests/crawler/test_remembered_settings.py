"""Settings of a crawl that goes on: given, else remembered, else the default."""

import json
from pathlib import Path
from typing import Any

import pytest

from minicrawl.crawler.remembered_settings import is_nameless, resumed
from minicrawl.errors import SettingError
from minicrawl.setting import ONE_RUN, Setting
from minicrawl.settings import SETTINGS, CrawlSettings


def kept(**settings: Any) -> dict[str, Any]:
    """What a store keeps of a crawl with these settings."""
    found: dict[str, Any] = json.loads(CrawlSettings(**settings).to_json(Path()))
    return found


EXAMPLES: dict[str, Any] = {
    "host_delay": ("a.test=3s",),
    "discovery": 0.5,
    "boost": "x=2",
    "extract": ("title=h1",),
    "header": "A: b",
    "auth": ("a.test=me:hush",),
    "proxy": ("*.a.test=none", "http://p.test:3128"),
    "respect_usage": ("ai-train", "search"),
    "connect_to": ("::127.0.0.1:8080", "[::1]:80:b.test:"),
    "signature_agent": "https://crawler.example",
    "ca_file": __file__,
    "client_cert": __file__,
    "contact": "me@example.org",
    "retry": ("http-404",),
}


def example(setting: Setting) -> Any:
    """Another value than the default."""
    if isinstance(setting.default, bool):
        return not setting.default
    if setting.choices:
        return setting.choices[-1]
    return EXAMPLES.get(setting.name, setting.most or "kept")


SECRET = {"auth"}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_remembered_or_is_for_one_run(name: str) -> None:
    before, default = CrawlSettings(**{name: example(SETTINGS[name])}), CrawlSettings()
    if name in SECRET:
        with pytest.raises(SettingError, match="not kept"):
            resumed(json.loads(before.to_json(Path())), {})
        assert resumed(kept(**{name: example(SETTINGS[name])}), {}, [name]).settings == default
        return
    told = resumed(json.loads(before.to_json(Path())), {})
    assert getattr(before, name) != getattr(default, name)
    is_kept = ONE_RUN not in SETTINGS[name].marks and name != "header"
    assert getattr(told.settings, name) == getattr(before if is_kept else default, name)
    assert told.sources[name] == ("store" if is_kept else "default")
    assert told.changes == ()
    assert resumed(kept(**{name: example(SETTINGS[name])}), {}, [name]).settings == default


def test_what_is_given_wins_and_is_told() -> None:
    told = resumed(kept(scope="prefix", delay=2, max_depth=3), {"scope": "any", "delay": "2s", "pages": 5})
    assert (told.settings.scope, told.settings.delay, told.settings.max_depth) == ("any", 2, 3)
    assert told.changes == ("scope: prefix -> any",)
    assert told.sources["delay"] == told.sources["pages"] == "given"


def test_a_new_store_has_nothing_to_change() -> None:
    told = resumed({}, {"scope": "site"})
    assert told.changes == ()
    assert told.sources["delay"] == "default"


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


OTHERS = "https://www.iana.org/"
CASES: list[tuple[list[str], dict[str, Any], bool]] = [
    ([OTHERS], {}, True),
    (["http://127.0.0.1:8080/", OTHERS], {}, True),
    (["http://93.184.216.34/"], {}, True),
    ([], {}, False),
    (["http://localhost:8080/", "http://a.test/", "http://printer.local/", "http://nas.home.arpa/"], {}, False),
    (["http://127.0.0.1/", "http://10.1.2.3/", "http://[::1]/", "http://192.168.0.1/"], {}, False),
    ([OTHERS], {"connect_to": "::127.0.0.1:8080"}, False),
    ([OTHERS], {"connect_to": "example.org::127.0.0.1:8080"}, True),
    ([OTHERS], {"contact": "me@example.org"}, False),
    ([OTHERS], {"user_agent": "mybot/1 (+https://example.org/bot)"}, False),
    ([OTHERS], {"header": "From: me@example.org"}, False),
]


@pytest.mark.parametrize(("seeds", "settings", "expected"), CASES)
def test_other_peoples_hosts_are_to_be_told_whom_to_ask(
    seeds: list[str], settings: dict[str, Any], expected: bool
) -> None:
    assert is_nameless(CrawlSettings(**settings), seeds) == expected
