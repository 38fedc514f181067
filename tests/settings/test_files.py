"""Which files of options there are, and that each mistake in one is a sentence."""

import json
import re
from pathlib import Path

import pytest

from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings
from minicrawl.settings.files import config_file, host_settings, rule_settings

SOME = "[crawl]\ndelay = 2\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one, to be in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_that_is_named_stands_alone_and_none_is_no_file(folder: Path) -> None:
    assert config_file(None) is None
    for name in ("minicrawl.toml", "other.toml"):
        (folder / name).write_text(SOME)
    assert config_file("none") is None
    for given, name in ((None, "minicrawl.toml"), ("other.toml", "other.toml")):
        file = config_file(given)
        assert file is not None
        assert (file.path.name, file.tables) == (name, {"crawl": {"delay": 2}})


def test_the_mark_that_windows_editors_begin_files_with_is_no_part_of_them(folder: Path) -> None:
    (folder / "minicrawl.toml").write_bytes(b"\xef\xbb\xbf" + SOME.replace("\n", "\r\n").encode())
    file = config_file(None)
    assert file is not None
    assert file.tables == {"crawl": {"delay": 2}}


def test_a_file_that_cannot_be_opened_is_told(folder: Path) -> None:
    with pytest.raises(SettingError, match=r"nowhere.toml cannot be read: No such file"):
        config_file("nowhere.toml")
    (folder / "minicrawl.toml").mkdir()
    with pytest.raises(SettingError, match=r"minicrawl.toml cannot be read: Is a directory"):
        config_file(None)


MISTAKES = {
    "latin-1": ("[crawl]\ntopic = 'é'\n".encode("latin-1"), r"is not UTF-8 text"),
    "no table": (b"[crawl\n", r"minicrawl.toml is no TOML: .* line 1, column 7\)$"),
    "a key twice": (b"[crawl]\na = 1\na = 2\n", r"is no TOML: Cannot overwrite a value \(at line 3"),
}


@pytest.mark.parametrize(("content", "sentence"), MISTAKES.values(), ids=MISTAKES.keys())
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "minicrawl.toml").write_bytes(content)
    with pytest.raises(SettingError, match=sentence) as raised:
        config_file(None)
    assert "\n" not in str(raised.value)


def test_each_key_becomes_the_setting_that_says_so() -> None:
    keys = {"delay": 5, "header": ["A: 1", "B: 2"], "auth": "me:hush", "pages": 500}
    found = host_settings({"Example.org": keys})
    assert found == {
        "host_delay": ("example.org=5",),
        "header": ("example.org=A: 1", "example.org=B: 2"),
        "auth": ("example.org=me:hush",),
        "host_pages": ("example.org=500",),
    }
    settings = CrawlSettings.of(found)
    assert [header.host for header in settings.headers] == ["example.org"] * 2


def test_items_of_a_host_are_of_its_pages_alone() -> None:
    (rule,) = host_settings({"Shop.test": {"extract": {"each": ".p", "fields": {"a": "b"}}}})["extract_rule"]
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
        host_settings(hosts)


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
        rule_settings({"a": keys})
