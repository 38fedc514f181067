"""What a user can set, and the sentence that says what is wrong."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from minicrawl.errors import ConfigError, SettingError
from minicrawl.settings import SETTINGS, ConnectTo, CrawlSettings, Header, option
from minicrawl.settings.crawl import in_full

NO_HEADER = "--header takes 'Name: value' in one line, not what was given"
WRONG = [
    ("pages", 0, "--pages must be at least 1, not 0"),
    ("max_depth", -1, "--max-depth must be at least 0, not -1"),
    ("delay", -0.5, "--delay must be at least 0, not -0.5"),
    ("delay", 10**400, f"--delay must be at most 30d, not 1{'0' * 99}..."),
    ("time", 0, "--time must be more than 0, not 0"),
    ("until_coverage", 1.1, "--until-coverage must be at most 100%, not 1.1"),
    ("scope", "web", "--scope is one of any, site, host, prefix, linked, not 'web'"),
    ("strategy", "best", "--strategy is one of greedy, random, cycle, breadth-first, not 'best'"),
    ("allow", ("(",), "--allow '(' is not a regular expression: missing ), unterminated subpattern at position 0"),
    ("deny", ("ok", "*"), "--deny '*' is not a regular expression: nothing to repeat at position 0"),
    ("boost", ("x",), "--boost takes REGEX=FACTOR with a factor above 0 and up to 1000, not 'x'"),
    ("boost", ("x=0",), "--boost takes REGEX=FACTOR with a factor above 0 and up to 1000, not 'x=0'"),
    ("boost", ("x=1001",), "--boost takes REGEX=FACTOR with a factor above 0 and up to 1000, not 'x=1001'"),
    ("boost", ("(=2",), "--boost '(' is not a regular expression: missing ), unterminated subpattern at position 0"),
    ("header", ("nonsense",), NO_HEADER),
    ("header", ("A: x\r\nB: y",), NO_HEADER),
    ("ca_file", Path("/none.pem"), "--ca-file /none.pem is not a file; name a PEM file that can be read"),
    ("archive", Path(__file__), f"--archive {__file__} is not a folder; name one, or a path that does not exist yet"),
    ("timeout", 0, "--timeout must be more than 0, not 0"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG, ids=[f"{name}={value}" for name, value, _ in WRONG])
def test_a_wrong_value_is_named_with_its_option(name: str, value: Any, message: str) -> None:
    with pytest.raises(SettingError) as caught:
        CrawlSettings(**{name: value})
    assert str(caught.value) == message
    assert option(name) in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pages", 1),
        ("max_depth", 0),
        ("delay", 0.5),
        ("time", 0.1),
        ("until_coverage", 0),
        ("until_coverage", 1),
        ("strategy", "breadth-first"),
        ("boost", ((re.compile("x"), 1000.0),)),
    ],
)
def test_values_on_the_edge_are_taken(name: str, value: Any) -> None:
    assert getattr(CrawlSettings(**{name: value}), name) == value


def test_header_lines_are_split_at_the_first_colon() -> None:
    settings = CrawlSettings.of({"header": ("X-A:b: c ", "Cookie: a=b", "X-Empty:")})
    assert settings.header == (Header("X-A", "b: c"), Header("Cookie", "a=b"), Header("X-Empty", ""))


def test_settings_survive_the_store() -> None:
    rules: Any = ("a.test:80:[::1]:81", "::b.test:")
    given: Any = {"pages": 5, "time": 1.5, "allow": ("a", "b"), "boost": ("x=2",), "topic": "ü", "delay": 0}
    settings = CrawlSettings(**given, connect_to=rules, proxy="http://p.test:1")  # type: ignore[arg-type]
    assert CrawlSettings.from_json(json.loads(settings.to_json(Path()))) == settings


def test_files_beside_a_store_are_kept_relative_to_it(tmp_path: Path) -> None:
    settings = CrawlSettings(
        archive=tmp_path / "in" / "kept", ca_file=Path(__file__), from_archive=(str(tmp_path / "in"), __file__)
    )
    kept = json.loads(settings.to_json(tmp_path / "in"))
    assert (kept["archive"], kept["ca_file"]) == ("kept", __file__)
    assert kept["from_archive"] == [".", __file__]
    moved = CrawlSettings.of(in_full(kept, tmp_path))
    assert (moved.archive, moved.ca_file) == (tmp_path / "kept", Path(__file__))
    assert moved.from_archive == (str(tmp_path), __file__)


TEXTS = {
    "pages": ("1000", 1000),
    "time": ("30m", 1800.0),
    "bytes": ("2GB", 2 * 10**9),
    "until_coverage": ("90%", 0.9),
    "allow": ("a", ("a",)),
    "retry": ("dns, http-503", ("dns", "http-503")),
    "delay": ("1.5s", 1.5),
    "connect_to": ("::127.0.0.1:81", (ConnectTo(None, None, "127.0.0.1", 81),)),
    "boost": (("x=1000", "a=b=0.01"), ((re.compile("x"), 1000.0), (re.compile("a=b"), 0.01))),
    "host_delay": ("A.test:81=5m", (("a.test:81", 300.0),)),
    "ca_file": (__file__, Path(__file__)),
}


@pytest.mark.parametrize(("name", "text", "value"), [(name, *both) for name, both in TEXTS.items()], ids=TEXTS)
def test_texts_are_taken_as_on_the_command_line(name: str, text: Any, value: Any) -> None:
    assert getattr(CrawlSettings(**{name: text}), name) == value


def test_connect_to_reads_files_and_lists(tmp_path: Path) -> None:
    file = tmp_path / "rules.txt"
    file.write_text("a.test:::1\nb.test:::2\n")
    given: Any = [f"@{file}", ConnectTo.parse("c.test:::3")]
    rules = CrawlSettings(connect_to=given).connect_to
    assert [str(rule) for rule in rules] == ["a.test:::1", "b.test:::2", "c.test:::3"]


def test_a_value_of_a_wrong_type_is_a_sentence() -> None:
    for name in SETTINGS:
        for value in (object(), {"a": 1}, b"bytes", float("inf")):
            with pytest.raises(ConfigError, match=option(name)):
                CrawlSettings(**{name: value})  # type: ignore[arg-type]


def test_a_mistyped_name_is_told_with_the_nearest() -> None:
    with pytest.raises(ConfigError) as caught:
        CrawlSettings.of({"pagez": 1})
    assert str(caught.value) == "no setting is called 'pagez'; did you mean 'pages'?"
    with pytest.raises(ConfigError) as caught:
        CrawlSettings.of({"nosuch": 3})
    assert str(caught.value) == "no setting is called 'nosuch'; docs/settings.md has them all"


def test_secrets_are_not_stored() -> None:
    settings = CrawlSettings.of({"header": "Authorization: hush", "proxy": "http://me:hush@proxy.test"})
    assert "hush" not in settings.to_json(Path())


@pytest.mark.parametrize(
    ("name", "value"),
    [("user_agent", "a\r\nX-Injected: 1"), ("user_agent", "bücher\ud800"), ("header", ("X-A: \x00",))],
    ids=["agent-line-break", "agent-surrogate", "header-nul"],
)
def test_values_that_no_request_can_carry_are_refused(name: str, value: Any) -> None:
    with pytest.raises(SettingError, match=option(name)):
        CrawlSettings(**{name: value})
