"""Settings as they are written behind `control set`."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.control.assignments import assigned
from minicrawl.errors import ConfigError
from minicrawl.settings import SETTINGS, CrawlSettings


@pytest.mark.parametrize(
    ("texts", "given"),
    [
        (["delay=2", "concurrency=32"], {"delay": "2", "concurrency": "32"}),
        (["pages=none", "time=", "max-depth=None"], {"pages": None, "time": None, "max_depth": None}),
        (["--ip-delay=1s", "per_host=2"], {"ip_delay": "1s", "per_host": "2"}),
        (["deny=/a=b/", "deny=/c/", "allow="], {"deny": ["/a=b/", "/c/"], "allow": []}),
        (["sitemaps=no", "html-only=Yes"], {"sitemaps": False, "html_only": True}),
        (["scope=none"], {"scope": "none"}),
        (["nonsense=1"], {"nonsense": "1"}),
    ],
)
def test_settings_are_read(texts: list[str], given: dict[str, object]) -> None:
    assert assigned(texts) == given


@pytest.mark.parametrize(
    ("text", "problem"),
    [("delay", "NAME=VALUE, such as delay=2, not 'delay'"), ("=2", "NAME=VALUE"), ("sitemaps=x", "yes or no, not 'x'")],
)
def test_what_cannot_be_meant_is_one_sentence(text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        assigned([text])


@given(st.sampled_from(sorted(SETTINGS)), st.text(max_size=9))
def test_any_value_is_a_setting_or_a_sentence(name: str, value: str) -> None:
    with contextlib.suppress(ConfigError):
        CrawlSettings.of(assigned([f"{name}={value}"]))
