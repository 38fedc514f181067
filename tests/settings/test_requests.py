"""What requests carry and where they go, as a user writes it."""

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from minicrawl.errors import SettingError
from minicrawl.settings import ConnectTo, CrawlSettings, Header
from minicrawl.settings.requests import login_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.test:80:b.test:8080", ConnectTo("a.test", 80, "b.test", 8080)),
        (":80:b.test:8080", ConnectTo(None, 80, "b.test", 8080)),
        ("a.test::b.test:8080", ConnectTo("a.test", None, "b.test", 8080)),
        ("a.test:80:b.test:", ConnectTo("a.test", 80, "b.test", None)),
        ("::127.0.0.1:8080", ConnectTo(None, None, "127.0.0.1", 8080)),
        ("[::1]:80:[fe80::2]:81", ConnectTo("::1", 80, "fe80::2", 81)),
    ],
)
def test_connect_to_has_four_parts_each_possibly_empty(text: str, expected: ConnectTo) -> None:
    assert ConnectTo.parse(text) == expected


@pytest.mark.parametrize("text", ["", "a:80:b", "a:80:b:81:c", "a:x:b:81", "a:80:::1:81", "a:-1:b:2"])
def test_what_is_no_connect_to_is_named(text: str) -> None:
    with pytest.raises(SettingError) as caught:
        ConnectTo.parse(text)
    assert str(caught.value) == f"--connect-to takes HOST:PORT:ADDR:PORT, not {text!r}"


@pytest.mark.parametrize("text", ["a:65536:b:80", "a:80:b:99999"])
def test_connect_to_refuses_ports_that_do_not_exist(text: str) -> None:
    with pytest.raises(SettingError):
        ConnectTo.parse(text)


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


def test_headers_that_tell_who_we_are_are_secret() -> None:
    secret, others = ("Authorization", "cookie", "X-Api-Key", "X-JWT", "X-Access-Code", "X-Bearer"), ("From", "DNT")
    assert not Header.parse("*=X-JWT: x").is_secret
    assert all(Header.parse(f"{name}: x").is_secret for name in secret)
    assert not any(Header.parse(f"{name}: x").is_secret for name in others)


def login(name_and_password: str, host: str | None = None) -> Header:
    return Header("Authorization", f"Basic {b64encode(name_and_password.encode()).decode()}", host)


@pytest.mark.parametrize("contact", ["me@example.org", "https://example.org/bot", "HTTP://example.org", ""])
def test_a_contact_is_an_address_or_a_page(contact: str) -> None:
    assert CrawlSettings(contact=contact).contact == contact


@pytest.mark.parametrize("contact", ["me", "me@", "me@here", "example.org", "a@b.test c@d.test", "a@b.test\r\nX: y"])
def test_a_contact_that_nobody_could_use_is_refused(contact: str) -> None:
    with pytest.raises(SettingError, match="--contact must be an address"):
        CrawlSettings(contact=contact)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("me:hush", login("me:hush")),
        ("a.test=me:hush", login("me:hush", "a.test")),
        ("a.test:81=me:hush", login("me:hush", "a.test:81")),
        ("http://a.test=me:hush", login("me:hush", "http://a.test")),
        ("a.test=me:a=b:c", login("me:a=b:c", "a.test")),
    ],
)
def test_a_password_may_be_for_one_host(text: str, expected: Header) -> None:
    assert login_of(text) == expected


@pytest.mark.parametrize("text", ["", "me", "a.test=hush", "me:hu\nsh", "me:hu\0sh"])
def test_what_is_no_login_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(SettingError, match="--auth takes HOST=NAME:PASSWORD") as caught:
        CrawlSettings.of({"auth": text})
    assert "hu" not in str(caught.value)


def test_logins_may_stand_in_a_file_one_a_line(tmp_path: Path) -> None:
    file = tmp_path / "logins"
    file.write_text("a.test=me:hush\n\nb.test=me:a b\n")
    settings = CrawlSettings.of({"auth": ("you:hush", f"@{file}")})
    assert settings.auth == (login("you:hush"), login("me:hush", "a.test"), login("me:a b", "b.test"))
    with pytest.raises(SettingError, match=f"--auth @{tmp_path}/none: the file cannot be read"):
        CrawlSettings.of({"auth": f"@{tmp_path}/none"})


def test_neither_name_nor_password_is_shown() -> None:
    settings = CrawlSettings.of({"auth": ("a.test=me:hush", "you:hush")})
    assert settings.shown()["auth"] == ("a.test=***", "***")
