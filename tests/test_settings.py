"""What a user can set, and the sentence that says what is wrong."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from table import each

from minicrawl.errors import ConfigError, SettingError
from minicrawl.settings import (
    SETTINGS,
    ConnectTo,
    CrawlSettings,
    Header,
    option,
    parse_boost,
    parse_duration,
    parse_size,
)

NAN = math.nan


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90),
        ("90s", 90),
        ("30m", 1800),
        ("2h", 7200),
        ("1d", 86400),
        ("1.5h", 5400),
        ("0", 0),
        ("0.5", 0.5),
        (" 30 m ", 1800),
        ("2H", 7200),
    ],
)
def test_a_time_is_a_number_with_a_unit(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "m", "-5", "5w", "1h30m", "1e3", "inf", "nan", "1,5h", ".5", "5 5", "30min"])
def test_what_is_no_time_is_named(text: str) -> None:
    with pytest.raises(SettingError) as caught:
        parse_duration(text)
    assert str(caught.value) == f"a time is a number with s, m, h or d behind it, such as 30m, not {text!r}"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("5000", 5000),
        ("5000B", 5000),
        ("1KB", 1000),
        ("64MB", 64 * 10**6),
        ("2GB", 2 * 10**9),
        ("1KiB", 1024),
        ("64MiB", 64 * 2**20),
        ("2GiB", 2**31),
        ("1.5MB", 1500000),
        ("2gb", 2 * 10**9),
        (" 5 KB ", 5000),
        ("0", 0),
    ],
)
def test_a_size_is_a_number_with_a_unit(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-5", "5TB", "5K", "5iB", "1e3", "inf", "1,5MB", "5 5"])
def test_what_is_no_size_is_named(text: str) -> None:
    with pytest.raises(SettingError) as caught:
        parse_size(text)
    assert str(caught.value) == f"a size is a number with B, KB, MB or GB behind it, such as 2GB, not {text!r}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.test:80:b.test:8080", ConnectTo("a.test", 80, "b.test", 8080)),
        ("A.Test:80:b.test:8080", ConnectTo("a.test", 80, "b.test", 8080)),
        (":80:b.test:8080", ConnectTo(None, 80, "b.test", 8080)),
        ("a.test::b.test:8080", ConnectTo("a.test", None, "b.test", 8080)),
        ("a.test:80::8080", ConnectTo("a.test", 80, "", 8080)),
        ("a.test:80:b.test:", ConnectTo("a.test", 80, "b.test", None)),
        ("::127.0.0.1:8080", ConnectTo(None, None, "127.0.0.1", 8080)),
        (":::", ConnectTo(None, None, "", None)),
        ("[::1]:80:[fe80::2]:81", ConnectTo("::1", 80, "fe80::2", 81)),
        (" a.test:80:b.test:81\n", ConnectTo("a.test", 80, "b.test", 81)),
    ],
)
def test_connect_to_has_four_parts_each_possibly_empty(text: str, expected: ConnectTo) -> None:
    assert ConnectTo.parse(text) == expected


@pytest.mark.parametrize(
    "text", ["", "a", "a:80", "a:80:b", "a:80:b:81:c", "a:x:b:81", "a:80:b:x", "a:80:::1:81", "a:-1:b:2"]
)
def test_what_is_no_connect_to_is_named(text: str) -> None:
    with pytest.raises(SettingError) as caught:
        ConnectTo.parse(text)
    assert str(caught.value) == f"--connect-to takes HOST:PORT:ADDR:PORT, not {text!r}"


@pytest.mark.parametrize("text", ["a:65536:b:80", "a:80:b:99999"])
def test_connect_to_refuses_ports_that_do_not_exist(text: str) -> None:
    with pytest.raises(SettingError):
        ConnectTo.parse(text)


WRONG = [
    ("pages", 0, "--pages must be at least 1, not 0"),
    ("pages", -3, "--pages must be at least 1, not -3"),
    ("pages", NAN, "--pages must be at least 1, not nan"),
    ("bytes", 0, "--bytes must be at least 1, not 0"),
    ("max_depth", -1, "--max-depth must be at least 0, not -1"),
    ("delay", -0.5, "--delay must be at least 0, not -0.5"),
    ("delay", NAN, "--delay must be at least 0, not nan"),
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
    ("until_coverage", 1.1, "--until-coverage is a share from 0 to 1, not 1.1"),
    ("until_coverage", -0.1, "--until-coverage is a share from 0 to 1, not -0.1"),
    ("until_coverage", NAN, "--until-coverage is a share from 0 to 1, not nan"),
    ("discovery", 2, "--discovery is a share from 0 to 1, not 2"),
    ("discovery", NAN, "--discovery is a share from 0 to 1, not nan"),
    ("scope", "web", "--scope is one of any, site, host, prefix, not 'web'"),
    ("strategy", "best", "--strategy is one of greedy, opic, random, cycle, breadth-first, not 'best'"),
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
    ("header", ("nonsense",), "--header takes 'Name: value' in one line, not 'nonsense'"),
    ("header", (": x",), "--header takes 'Name: value' in one line, not ': x'"),
    ("header", ("A b: x",), "--header takes 'Name: value' in one line, not 'A b: x'"),
    ("header", ("A: x\r\nB: y",), "--header takes 'Name: value' in one line, not 'A: x\\r\\nB: y'"),
    ("ca_file", Path("/none.pem"), "--ca-file /none.pem is no file; name a PEM file that can be read"),
]


@each(("name", "value", "message"), WRONG, ids=[f"{name}={value}" for name, value, _ in WRONG])
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


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("a.test=X-A: b", "a.test"),
        ("a.test:81=X-A: b", "a.test:81"),
        ("https://a.test=X-A: b", "https://a.test"),
        ("[::1]:81=X-A: b", "[::1]:81"),
        ("X-A: b", None),
    ],
)
def test_a_header_may_be_for_one_host(text: str, host: Any) -> None:
    assert Header.parse(text) == Header("X-A", "b", host)


@pytest.mark.parametrize("name", ["Authorization", "Proxy-Authorization", "cookie", "X-Api-Key", "X-CSRF-Token"])
def test_headers_that_tell_who_we_are_are_secret(name: str) -> None:
    assert Header.parse(f"{name}: x").is_secret


@pytest.mark.parametrize("name", ["Accept-Language", "From", "DNT", "X-Robot"])
def test_other_headers_are_not(name: str) -> None:
    assert not Header.parse(f"{name}: x").is_secret


def test_a_boost_is_divided_at_the_last_equals_sign() -> None:
    pattern, factor = parse_boost(r"\?a=b=2.5")
    assert (pattern.pattern, factor) == (r"\?a=b", 2.5)


@pytest.mark.parametrize(("name", "spelling"), [("pages", "--pages"), ("until_coverage", "--until-coverage")])
def test_options_are_spelled_as_on_the_command_line(name: str, spelling: str) -> None:
    assert option(name) == spelling


def test_settings_survive_the_store() -> None:
    settings = CrawlSettings(pages=5, time=1.5, allow=("a", "b"), boost=("x=2",), scope="site", topic="ü", delay=0)
    assert CrawlSettings.from_json(json.loads(settings.to_json())) == settings


def test_connections_survive_the_store() -> None:
    rules: Any = ("a.test:80:[::1]:81", "::b.test:")
    settings = CrawlSettings(connect_to=rules, proxy="http://p.test:1")
    assert CrawlSettings.from_json(json.loads(settings.to_json())) == settings


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


@each("name", SETTINGS)
@each("value", [object(), {"a": 1}, b"bytes", float("inf")], ids=["object", "dict", "bytes", "inf"])
def test_a_value_of_a_wrong_type_is_a_sentence(name: str, value: Any) -> None:
    if value == math.inf and name in ("time", "delay", "ip_delay", "timeout", "window", "intrinsic_weight"):
        return
    with pytest.raises(ConfigError, match=option(name)):
        CrawlSettings(**{name: value})


def test_a_mistyped_name_is_told_with_the_nearest() -> None:
    with pytest.raises(ConfigError) as caught:
        CrawlSettings.of({"pagez": 1})
    assert str(caught.value) == "no setting is called 'pagez'; did you mean 'pages'?"


def test_secrets_are_not_stored() -> None:
    settings = CrawlSettings(
        header=("Authorization: hush",),
        proxy="http://me:hush@proxy.test",
    )
    assert "hush" not in settings.to_json()


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
