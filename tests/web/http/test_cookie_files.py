"""Cookie files in the format of Netscape."""

import http.cookiejar
import os
from pathlib import Path

import pytest

from minicrawl.errors import SettingError
from minicrawl.web.http.cookies import Cookie, read_cookie_file, write_cookie_file

BY_A_BROWSER = """# Netscape HTTP Cookie File
# http://curl.haxx.se/rfc/cookie_spec.html

.example.com\tTRUE\t/\tTRUE\t1900000000\tSID\t31d4
#HttpOnly_www.example.com\tFALSE\t/x\tFALSE\t0\tlang\ten US
b\u00fccher.test\tFALSE\t/\tfalse\t\tempty\t
"""


def test_cookies_of_a_browser_are_read(tmp_path: Path) -> None:
    file = tmp_path / "cookies.txt"
    file.write_text(BY_A_BROWSER, "utf-8-sig")
    os.utime(file, (1000.0, 1000.0))
    assert read_cookie_file(file) == [
        Cookie("example.com", "/", "SID", "31d4", False, True, False, 1900000000.0, 1000.0, 1000.0),
        Cookie("www.example.com", "/x", "lang", "en US", True, False, True, None, 1000.0, 1000.0),
        Cookie("xn--bcher-kva.test", "/", "empty", "", True, False, False, None, 1000.0, 1000.0),
    ]


def test_what_is_written_is_read_again_by_us_and_by_others(tmp_path: Path) -> None:
    file = tmp_path / "cookies.txt"
    cookies = [
        Cookie("example.com", "/", "SID", "31=d4", False, True, False, 1900000000.0, 1.0, 2.0),
        Cookie("www.example.com", "/x", "lang", "en", True, False, True, None, 1.0, 2.0),
    ]
    write_cookie_file(file, cookies)
    assert file.stat().st_mode & 0o777 == 0o600
    at = file.stat().st_mtime
    assert read_cookie_file(file) == [cookie._replace(created=at, changed=at) for cookie in cookies]
    jar = http.cookiejar.MozillaCookieJar(file)
    jar.load(ignore_discard=True, ignore_expires=True)
    assert [(cookie.domain, cookie.name, cookie.value, cookie.secure) for cookie in jar] == [
        (".example.com", "SID", "31=d4", True),
        ("www.example.com", "lang", "en", False),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["cookies.txt"]


def test_a_file_that_is_not_there_has_no_cookies(tmp_path: Path) -> None:
    assert read_cookie_file(tmp_path / "none") == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"# c\n\nexample.com hush", "line 3: not a cookie in Netscape's format: seven parts"),
        (b"example.com\tTRUE\tno-path\tTRUE\t0\thush\thush", "line 1: not"),
        (b"example.com\tTRUE\t/\tTRUE\tsoon\thush\thush", "line 1: not"),
        (b"a%\tTRUE\t/\tTRUE\t0\thush\thush", "line 1: not"),
        (b"example.com\tTRUE\t/\tTRUE\t0\thush\ta;b=hush", "line 1: not"),
        (b"example.com\tTRUE\t/\tTRUE\t0\thush\t\xe2\x82\xac", "line 1: not"),
        (b'[{"name": "hush", "value": "hush"}]', "is JSON, but no storage state of a browser"),
        (b"\xff\xfe", "is not UTF-8 text"),
    ],
)
def test_what_is_no_cookie_is_named_by_its_line_and_not_repeated(text: bytes, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "cookies.txt"
    file.write_bytes(text)
    with pytest.raises(SettingError, match=f"--cookie-file {file}.*{problem}") as caught:
        read_cookie_file(file)
    assert "hush" not in str(caught.value)
