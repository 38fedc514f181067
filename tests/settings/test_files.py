"""Which files of options there are, and that each mistake in one is a sentence."""

import json
import re
from pathlib import Path

import pytest

from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings
from minicrawl.settings.files import config_files, host_settings, rule_settings

SOME = "[crawl]\ndelay = 2\n"
WANTED = {"crawl": {"delay": 2}}


def found(folder: Path, given: str | None = None) -> list[tuple[str, str, object]]:
    files = config_files(given, folder / "user.toml", folder)
    return [(file.path.name, file.origin, dict(file.tables)) for file in files]


def test_the_projects_file_comes_before_the_users(tmp_path: Path) -> None:
    assert found(tmp_path) == []
    (tmp_path / "user.toml").write_text("[top]\nn = 3\n")
    assert found(tmp_path) == [("user.toml", "user", {"top": {"n": 3}})]
    (tmp_path / "minicrawl.toml").write_text(SOME)
    assert found(tmp_path) == [("minicrawl.toml", "project", WANTED), ("user.toml", "user", {"top": {"n": 3}})]


def test_a_python_project_has_options_in_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n[tool.ruff]\nline-length = 9\n")
    assert found(tmp_path) == []
    (tmp_path / "pyproject.toml").write_text("[tool.minicrawl.crawl]\ndelay = 2\n")
    assert found(tmp_path) == [("pyproject.toml", "project", WANTED)]
    (file,) = config_files(str(tmp_path / "pyproject.toml"), tmp_path / "none")
    assert (file.origin, file.called("crawl", "delay")) == ("--config", "tool.minicrawl.crawl.delay")


def test_a_file_that_is_named_stands_alone_and_none_is_no_file(tmp_path: Path) -> None:
    for name in ("minicrawl.toml", "user.toml", "other.toml"):
        (tmp_path / name).write_text(SOME)
    assert found(tmp_path, "none") == []
    assert found(tmp_path, str(tmp_path / "other.toml")) == [("other.toml", "--config", WANTED)]


def test_the_mark_that_windows_editors_begin_files_with_is_no_part_of_them(tmp_path: Path) -> None:
    (tmp_path / "minicrawl.toml").write_bytes(b"\xef\xbb\xbf" + SOME.replace("\n", "\r\n").encode())
    assert found(tmp_path) == [("minicrawl.toml", "project", WANTED)]


MISTAKES = {
    "latin-1": ("[crawl]\ntopic = 'é'\n".encode("latin-1"), r"is not UTF-8 text"),
    "no table": (b"[crawl\n", r"minicrawl.toml is no TOML: .* line 1, column 7\)$"),
    "a key twice": (b"[crawl]\na = 1\na = 2\n", r"is no TOML: Cannot overwrite a value \(at line 3"),
}


@pytest.mark.parametrize(("content", "sentence"), MISTAKES.values(), ids=MISTAKES.keys())
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "minicrawl.toml").write_bytes(content)
    with pytest.raises(SettingError, match=sentence) as raised:
        found(tmp_path)
    assert "\n" not in str(raised.value)


def test_two_files_of_one_project_are_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "minicrawl.toml").write_text("")
    (tmp_path / "pyproject.toml").write_text("[tool.minicrawl]\nstore = 'x.db'\n")
    with pytest.raises(SettingError, match=r"minicrawl.toml and \[tool.minicrawl\] of .*pyproject.toml both have"):
        found(tmp_path)


def test_a_file_that_is_none_and_a_table_that_is_none_are_told(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"nowhere.toml cannot be read: No such file"):
        found(tmp_path, str(tmp_path / "nowhere.toml"))
    (tmp_path / "pyproject.toml").write_text("[tool]\nminicrawl = 'fast'\n")
    with pytest.raises(SettingError, match=r"tool.minicrawl is a table of options, not 'fast'"):
        found(tmp_path)
    (tmp_path / "minicrawl.toml").mkdir()
    with pytest.raises(SettingError, match=r"minicrawl.toml cannot be read: Is a directory"):
        found(tmp_path)


def test_each_key_becomes_the_setting_that_says_so() -> None:
    keys = {"delay": 5, "header": ["A: 1", "B: 2"], "refresh": "1h", "auth": "me:hush", "pages": 500}
    found = host_settings([{"Example.org": keys}])
    assert found == {
        "host_delay": ("example.org=5",),
        "header": ("example.org=A: 1", "example.org=B: 2"),
        "refresh_rule": (r"^https?://example\.org[:/]=1h",),
        "auth": ("example.org=me:hush",),
        "host_pages": ("example.org=500",),
    }
    settings = CrawlSettings.of(found)
    assert [header.host for header in settings.headers] == ["example.org"] * 2


@pytest.mark.parametrize(
    ("url", "is_meant"),
    [
        ("http://example.org/", True),
        ("https://example.org:8080/a", True),
        ("https://www.example.org/", False),
        ("https://example.org.evil.test/", False),
        ("https://exampleXorg/", False),
        ("https://a.test/https://example.org/", False),
    ],
)
def test_a_host_is_refreshed_by_its_own_rule_and_no_other_host_is(url: str, is_meant: bool) -> None:
    (rule,) = host_settings([{"example.org": {"refresh": "never"}}])["refresh_rule"]
    assert (re.search(rule.rpartition("=")[0], url) is not None) == is_meant


def test_the_first_file_counts_for_each_key_of_a_host() -> None:
    first = {"a.test": {"delay": "1s"}}
    second = {"A.test": {"delay": "2s", "refresh": "1d"}, "b.test": {"delay": "3s"}}
    found = host_settings([first, second])
    assert found["host_delay"] == ("a.test=1s", "b.test=3s")
    assert found["refresh_rule"] == (r"^https?://a\.test[:/]=1d",)


def test_items_of_a_host_are_of_its_pages_alone() -> None:
    (rule,) = host_settings([{"Shop.test": {"extract": {"each": ".p", "fields": {"a": "b"}}}}])["extract_rule"]
    found = json.loads(rule)
    assert (found["name"], found["each"], found["fields"]) == ("shop.test", ".p", {"a": "b"})
    assert re.search(found["match"], "https://shop.test/x")
    assert not re.search(found["match"], "https://shop.test.evil.test/x")


HOST_MISTAKES: dict[str, tuple[dict[str, object], str]] = {
    "items with a match": ({"a.test": {"extract": {"match": "x"}}}, "is for all pages of the host"),
    "items that are no table": ({"a.test": {"extract": "title=h1"}}, r'\[host."a.test".extract\] is a table'),
    "another setting": ({"a.test": {"max-size": "1MB"}}, r"max-size cannot be set for one host: only delay, header"),
    "unknown": ({"a.test": {"delya": 1}}, r"has no option 'delya'; did you mean 'delay'\?"),
    "no quotes": ({"a": {"test": {"delay": 1}}}, r"\[host.a.test\]: the name of a host stands in quotes"),
    "no table": ({"a.test": 5}, r'\[host."a.test"\] is a table with'),
    "wrong type": ({"a.test": {"delay": True}}, r"delay cannot be True"),
    "half a page": (
        {"a.test": {"pages": 0.5}},
        r"--host-pages takes HOST=N, such as .*, not 'a.test=0.5'",
    ),
    "no time": ({"a.test": {"delay": "soon"}}, r"--host-delay: a time is a number"),
    "no host": ({"a b": {"delay": 1}}, r"--host-delay takes HOST=TIME"),
}


@pytest.mark.parametrize(("hosts", "sentence"), HOST_MISTAKES.values(), ids=HOST_MISTAKES.keys())
def test_mistake_is_one_sentence(hosts: dict[str, object], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        host_settings([hosts])


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("h1", r"\[extract\.a\] is a table with match, each and fields, not 'h1'"),
        ({"eahc": "x", "fields": {"x": "h1"}}, r"\[extract\.a\] has no key 'eahc'; did you mean 'each'"),
        ({"fields": {"x": 1}}, r"needs fields, such as"),
        ({"match": "(", "fields": {"x": "h1"}}, r"\[extract\.a\] match: '\(' is no regular expression"),
    ],
)
def test_mistake_in_a_table_of_items_is_one_sentence(keys: object, sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        rule_settings([{"a": keys}])
