"""Names and passwords, as a user writes them."""

from pathlib import Path

import pytest

from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings, Login


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("me:hush", Login("me", "hush")),
        ("a.test=me:hush", Login("me", "hush", "a.test")),
        ("a.test:81=me:hush", Login("me", "hush", "a.test:81")),
        ("http://a.test=me:hush", Login("me", "hush", "http://a.test")),
        ("[::1]:81=me:hush", Login("me", "hush", "[::1]:81")),
        ("a.test=me:a=b:c", Login("me", "a=b:c", "a.test")),
        ("me:a=b", Login("me", "a=b")),
        ("a.test=:", Login("", "", "a.test")),
        ("a.test=mé:hush hush", Login("mé", "hush hush", "a.test")),
    ],
)
def test_a_password_may_be_for_one_host(text: str, expected: Login) -> None:
    assert Login.parse(text) == expected


@pytest.mark.parametrize("text", ["", "me", "a.test=hush", "me:hu\nsh", "me:hu\0sh"])
def test_what_is_no_login_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(SettingError, match="--auth takes HOST=NAME:PASSWORD") as caught:
        CrawlSettings(auth=text)
    assert "hu" not in str(caught.value)


def test_logins_may_stand_in_a_file_one_a_line(tmp_path: Path) -> None:
    file = tmp_path / "logins"
    file.write_text("a.test=me:hush\n\nb.test=me:a b\n")
    settings = CrawlSettings(auth=("you:hush", f"@{file}"))
    assert settings.logins == (Login("you", "hush"), Login("me", "hush", "a.test"), Login("me", "a b", "b.test"))
    with pytest.raises(SettingError, match=f"--auth @{tmp_path}/none: the file cannot be read"):
        CrawlSettings(auth=f"@{tmp_path}/none")


def test_neither_name_nor_password_is_shown(tmp_path: Path) -> None:
    settings = CrawlSettings(auth=("a.test=me:hush", "you:hush"), netrc_file=__file__)
    assert settings.shown()["auth"] == ("a.test=***", "***")
    assert settings.shown()["netrc_file"] == __file__
    with pytest.raises(SettingError, match=r"--netrc-file .*/none is no file; name one that can be read"):
        CrawlSettings(netrc_file=tmp_path / "none")


def test_a_certificate_is_kept_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.pem", "key.pem"):
        (tmp_path / name).touch()
    settings = CrawlSettings(client_cert=("a.test=a.pem,key.pem", "a.pem"))
    assert settings.client_cert == (f"a.test={tmp_path}/a.pem,{tmp_path}/key.pem", f"{tmp_path}/a.pem")
    assert settings.client_certificates[0].key == tmp_path / "key.pem"
    with pytest.raises(SettingError, match=r"--client-cert .*none.pem is no file; name one that can be read"):
        CrawlSettings(client_cert="a.test=none.pem")
    with pytest.raises(SettingError, match="a certificate is for https; write the host without http://"):
        CrawlSettings(client_cert="http://a.test=a.pem")


def test_a_file_of_cookies_is_in_a_folder_that_is_there(tmp_path: Path) -> None:
    assert CrawlSettings(cookie_file=tmp_path / "new").takes_cookies
    for path, problem in ((tmp_path, "is a folder"), (tmp_path / "a" / "b", "is in no folder that there is")):
        with pytest.raises(SettingError, match=f"--cookie-file {path} {problem}; name a file of cookies"):
            CrawlSettings(cookie_file=path)
