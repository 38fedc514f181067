"""What a user can set, and the sentence that says what is wrong."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from minicrawl.errors import ConfigError, SettingError
from minicrawl.settings import SETTINGS, ConnectTo, CrawlSettings, Header, in_full, option

NAN = math.nan


NO_HEADER = "--header takes 'Name: value' in one line, and what is given is no such thing"
WRONG = [
    ("pages", 0, "--pages must be at least 1, not 0"),
    ("pages", -3, "--pages must be at least 1, not -3"),
    ("pages", NAN, "--pages must be at least 1, not nan"),
    ("bytes", 0, "--bytes must be at least 1, not 0"),
    ("max_depth", -1, "--max-depth must be at least 0, not -1"),
    ("delay", -0.5, "--delay must be at least 0, not -0.5"),
    ("delay", NAN, "--delay must be at least 0, not nan"),
    ("delay", math.inf, "--delay is a finite number, not inf"),
    ("delay", 10**400, f"--delay is a finite number, not 1{'0' * 99}..."),
    ("time", math.inf, "--time is a finite number, not inf"),
    ("pages", 10**400, f"--pages is a finite number, not 1{'0' * 99}..."),
    ("per_host", 0, "--per-host must be at least 1, not 0"),
    ("concurrency", 0, "--concurrency must be at least 1, not 0"),
    ("max_size", 0, "--max-size must be at least 1, not 0"),
    ("time", 0, "--time must be more than 0, not 0"),
    ("time", -1.0, "--time must be more than 0, not -1.0"),
    ("timeout", 0, "--timeout must be more than 0, not 0"),
    ("timeout", NAN, "--timeout must be more than 0, not nan"),
    ("window", 0, "--window must be more than 0, not 0"),
    ("window", NAN, "--window must be more than 0, not nan"),
    ("intrinsic_weight", 0, "--intrinsic-weight must be more than 0, not 0"),
    ("until_coverage", 1.1, "--until-coverage is a share from 0 to 1, or 0% to 100%, not 1.1"),
    ("until_coverage", -0.1, "--until-coverage is a share from 0 to 1, or 0% to 100%, not -0.1"),
    ("until_coverage", NAN, "--until-coverage is a share from 0 to 1, or 0% to 100%, not nan"),
    ("discovery", 2, "--discovery is a share from 0 to 1, or 0% to 100%, not 2"),
    ("discovery", NAN, "--discovery is a share from 0 to 1, or 0% to 100%, not nan"),
    ("scope", "web", "--scope is one of any, site, host, prefix, linked, not 'web'"),
    ("strategy", "best", "--strategy is one of greedy, anticipated, opic, random, cycle, breadth-first, not 'best'"),
    (
        "allow",
        ("(",),
        "--allow '(' is no regular expression: missing ), unterminated subpattern at position 0",
    ),
    ("deny", ("ok", "*"), "--deny '*' is no regular expression: nothing to repeat at position 0"),
    ("boost", ("x",), "--boost takes REGEX=FACTOR with a factor from above 0 to 1000, not 'x'"),
    ("boost", ("x=",), "--boost takes REGEX=FACTOR with a factor from above 0 to 1000, not 'x='"),
    ("boost", ("x=0",), "--boost takes REGEX=FACTOR with a factor from above 0 to 1000, not 'x=0'"),
    ("boost", ("x=-1",), "--boost takes REGEX=FACTOR with a factor from above 0 to 1000, not 'x=-1'"),
    ("boost", ("x=1001",), "--boost takes REGEX=FACTOR with a factor from above 0 to 1000, not 'x=1001'"),
    ("boost", ("x=nan",), "--boost takes REGEX=FACTOR with a factor from above 0 to 1000, not 'x=nan'"),
    (
        "boost",
        ("(=2",),
        "--boost '(' is no regular expression: missing ), unterminated subpattern at position 0",
    ),
    ("header", ("nonsense",), NO_HEADER),
    ("header", (": x",), NO_HEADER),
    ("header", ("A b: x",), NO_HEADER),
    ("header", ("A: x\r\nB: y",), NO_HEADER),
    ("ca_file", Path("/none.pem"), "--ca-file /none.pem is no file; name a PEM file that can be read"),
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
        ("bytes", 1),
        ("max_depth", 0),
        ("delay", 0),
        ("delay", 0.5),
        ("per_host", 1),
        ("concurrency", 1),
        ("time", 0.1),
        ("window", 0.1),
        ("until_coverage", 0),
        ("until_coverage", 1),
        ("discovery", 0),
        ("discovery", 1),
        ("scope", "prefix"),
        ("strategy", "breadth-first"),
        ("boost", ("x=1000",)),
        ("boost", ("a=b=0.01",)),
    ],
)
def test_values_on_the_edge_are_taken(name: str, value: Any) -> None:
    assert getattr(CrawlSettings(**{name: value}), name) == value


def test_defaults_are_allowed_and_have_no_limits() -> None:
    settings = CrawlSettings()
    assert (settings.pages, settings.time, settings.bytes, settings.until_coverage) == (
        None,
        None,
        None,
        None,
    )
    assert not settings.allow_private
    assert not settings.ignore_robots


def test_settings_are_frozen() -> None:
    with pytest.raises(AttributeError):
        CrawlSettings().pages = 3  # type: ignore[misc]


def test_header_lines_are_split_at_the_first_colon() -> None:
    settings = CrawlSettings(header=("X-A:b: c ", "Cookie: a=b", "X-Empty:"))
    assert settings.headers == (Header("X-A", "b: c"), Header("Cookie", "a=b"), Header("X-Empty", ""))


def test_settings_survive_the_store() -> None:
    settings = CrawlSettings(pages=5, time=1.5, allow=("a", "b"), boost=("x=2",), scope="site", topic="ü", delay=0)
    assert CrawlSettings.from_json(json.loads(settings.to_json(Path()))) == settings


def test_connections_survive_the_store() -> None:
    rules: Any = ("a.test:80:[::1]:81", "::b.test:")
    settings = CrawlSettings(connect_to=rules, proxy=("http://p.test:1",))
    assert CrawlSettings.from_json(json.loads(settings.to_json(Path()))) == settings


def test_files_beside_a_store_are_kept_relative_to_it(tmp_path: Path) -> None:
    settings = CrawlSettings(
        archive=tmp_path / "in" / "kept", cookie_file=tmp_path / "jar", from_archive=(str(tmp_path / "in"), __file__)
    )
    kept = json.loads(settings.to_json(tmp_path / "in"))
    assert (kept["archive"], kept["cookie_file"]) == ("kept", str(tmp_path / "jar"))
    assert kept["from_archive"] == [".", __file__]
    moved = CrawlSettings.of(in_full(kept, tmp_path))
    assert (moved.archive, moved.cookie_file) == (tmp_path / "kept", tmp_path / "jar")
    assert moved.from_archive == (str(tmp_path), __file__)


TEXTS = {
    "pages": ("1000", 1000),
    "time": ("30m", 1800.0),
    "bytes": ("2GB", 2 * 10**9),
    "until_coverage": ("90%", 0.9),
    "allow": ("a", ("a",)),
    "retry": ("dns, http-503", ("dns", "http-503")),
    "delay": ("1.5s", 1.5),
    "ip_delay": ("0", 0.0),
    "per_host": ("2", 2),
    "discovery": ("0.5", 0.5),
    "header": ("A: b", ("A: b",)),
    "connect_to": ("::127.0.0.1:81", (ConnectTo(None, None, "127.0.0.1", 81),)),
    "ca_file": (__file__, Path(__file__)),
    "timeout": ("1m", 60.0),
    "max_size": ("1MB", 10**6),
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


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("value", [object(), {"a": 1}, b"bytes", float("inf")], ids=["object", "dict", "bytes", "inf"])
def test_a_value_of_a_wrong_type_is_a_sentence(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=option(name)):
        CrawlSettings(**{name: value})


def test_a_mistyped_name_is_told_with_the_nearest() -> None:
    with pytest.raises(ConfigError) as caught:
        CrawlSettings.of({"pagez": 1})
    assert str(caught.value) == "no setting is called 'pagez'; did you mean 'pages'?"
    with pytest.raises(ConfigError) as caught:
        CrawlSettings.of({"nosuch": 3})
    assert re.fullmatch(
        r"no setting is called 'nosuch'; the nearest are \w+(, \w+){4}; see docs/settings\.md", str(caught.value)
    )


def test_secrets_are_not_stored() -> None:
    settings = CrawlSettings(
        header=("Authorization: hush",),
        proxy=("http://me:hush@proxy.test",),
    )
    assert "hush" not in settings.to_json(Path())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("user_agent", "a\r\nX-Injected: 1"),
        ("user_agent", "bücher\ud800"),
        ("header", ("X-A: \x00",)),
        ("proxy", "not a proxy"),
        ("proxy", "ftp://proxy.test"),
    ],
    ids=["agent-line-break", "agent-surrogate", "header-nul", "proxy-nonsense", "proxy-scheme"],
)
def test_values_that_no_request_can_carry_are_refused(name: str, value: Any) -> None:
    with pytest.raises(SettingError, match=option(name)):
        CrawlSettings(**{name: value})
