"""Each setting stands in one group, with a meaning that helps, and every number has bounds."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from support.browsing import dashboard
from support.command_line import HOME, run
from support.steering import Steered, kept, steered, wide

from minicrawl.control.asking import ask, assigned
from minicrawl.control.commands import listening
from minicrawl.errors import SettingError
from minicrawl.settings import SETTINGS, CrawlSettings, option
from minicrawl.settings.options import MOST_WORKERS, TOPICS

NUMBERS = [setting.name for setting in SETTINGS.values() if setting.most is not None]
SOME = ("pages", "timeout", "delay", "max_size", "until_coverage", "workers")
"""One that is read in each way, and one that costs memory."""
SENSELESS = ("1e18", "1" + "0" * 18, "-1", "nan", "inf", "1" + "0" * 400, "9" * 5000)


def test_every_setting_is_in_one_group() -> None:
    names = [name for _, names in TOPICS.values() for name in names]
    assert names == list(SETTINGS)
    assert sorted(names) == sorted(field.name for field in fields(CrawlSettings))


def test_a_setting_has_a_meaning_and_a_default_that_is_allowed() -> None:
    for setting in SETTINGS.values():
        assert setting.meaning.endswith(".")
        assert setting.of(setting.default) == setting.of(setting.shown) == setting.default


def beyond(name: str) -> Iterator[tuple[str, str]]:
    """Numbers that a setting cannot have, and how what is said of each begins: a billion, where that is senseless."""
    setting = SETTINGS[name]
    assert setting.most is not None
    told = f"{option(name)} must be at most {setting.most}, not 1"
    for value in SENSELESS:
        yield value, told if value.isdigit() and len(value) == 19 else option(name)
    if setting.of(setting.most) < 10**9:
        yield "1" + "0" * 9, told


def is_told(said: str, told: str) -> bool:
    """Whether one short line says what is wrong."""
    return told in said and "\n" not in said.strip() and len(said) < 400


def test_every_number_has_bounds() -> None:
    for name in NUMBERS:
        for value, told in beyond(name):
            with pytest.raises(SettingError) as caught:
                CrawlSettings.of({name: value})
            assert is_told(str(caught.value), told)


@pytest.mark.parametrize("name", SOME)
def test_numbers_have_bounds_on_the_command_line_in_files_and_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    store, file = tmp_path / "crawl.db", tmp_path / "options.toml"
    crawl = ("crawl", HOME, "--store", store)
    for value, told in beyond(name):
        came = [run(*crawl, f"{option(name)}={value}")]
        text = value if value in ("nan", "inf", "1e18") else json.dumps(value)
        file.write_text(f"[crawl]\n{name} = {text}\n")
        came.append(run("--config", file, *crawl))
        with monkeypatch.context() as environment:
            environment.setenv(f"MINICRAWL_CRAWL_{name.upper()}", value)
            came.append(run(*crawl))
        for result in came:
            assert result.exit_code == 2, (value, result.output)
            assert is_told(result.stderr, told), result.stderr
    assert not store.exists()


async def test_numbers_have_bounds_for_who_steers_a_crawl(store: Path) -> None:
    """By the socket, from the dashboard, and in a store that nobody crawls; what was there stays."""
    async with steered(Steered(wide(3)), store) as crawl, listening(crawl, store), dashboard(store) as browser:
        await crawl.pause()
        before = crawl.settings
        for name in SOME:
            for value, told in beyond(name):
                message = {"do": "set", "settings": assigned([f"{name}={value}"])}
                with pytest.raises(SettingError) as caught:
                    await asyncio.to_thread(ask, store, [message])
                assert is_told(str(caught.value), told)
                came = await browser.has_done(do="set", settings={name: value})
                assert (came.status, is_told(came.json["failed"], told)) == (400, True)
        body = b'{"do": "set", "settings": {"workers": %s}}'
        for number in (b"1e9", b"NaN", b"-Infinity", b"9" * 400):
            assert (await browser.ask("/api/control", "POST", body % number)).status == 400
        assert crawl.settings == before
        await crawl.resume()
    with pytest.raises(SettingError, match=f"--workers must be at most {MOST_WORKERS}, not 1000000000"):
        await asyncio.to_thread(ask, store, [{"do": "set", "settings": {"workers": 10**9}}])
    assert kept(store, "workers") == 0


def test_discovery_has_its_share_beside_refresh() -> None:
    assert CrawlSettings().discovery_share == 1.0
    assert CrawlSettings(refresh=True).discovery_share == 0.7
    assert CrawlSettings(refresh=True, discovery=0.3).discovery_share == 0.3
    with pytest.raises(SettingError, match="--refresh-min must be at most --recrawl-after, 600 s, not 3600 s"):
        CrawlSettings(recrawl_after=600.0)


def test_pages_are_fetched_again_once_it_is_asked_for() -> None:
    given: list[dict[str, Any]] = [{}, {"refresh_min": "2h"}, {"refresh": True}, {"recrawl_after": "1d"}]
    assert [CrawlSettings(**settings).refreshes for settings in given] == [False, False, True, True]
