"""Names and passwords as headers, of --auth and of netrc files."""

from pathlib import Path

import pytest

from minicrawl.crawler.http.logins.passwords import password_headers
from minicrawl.crawler.http.request_headers import Headers
from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings, Header

NETRC = """
# that of a
machine a.test login me password hush
machine b.test
    login you
    password #1"
machine ::1 login me password hush
default login all password all
"""


def going(origin: str, *, seeds: tuple[str, ...] = (), **settings: object) -> list[str]:
    """Values of the headers that carry passwords to an origin."""
    given = CrawlSettings(**settings)  # type: ignore[arg-type]
    headers = Headers(given.headers, frozenset(seeds), password_headers(given))
    return [value for name, value in headers.going_to(origin) if name == "Authorization"]


def test_names_and_passwords_are_sent_as_in_the_rfc() -> None:
    """The examples of RFC 7617, 2 and 2.1."""
    aladdin, test = "a.test=Aladdin:open sesame", "b.test=test:123£"
    assert going("https://a.test", auth=(aladdin, test)) == ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]
    assert going("https://b.test", auth=(aladdin, test)) == ["Basic dGVzdDoxMjPCow=="]


def test_the_first_of_several_passwords_counts_and_a_header_counts_before_all(tmp_path: Path) -> None:
    file = tmp_path / "netrc"
    file.write_text(NETRC)
    both = {"auth": ("a.test=a:a", "a.test=b:b"), "netrc_file": file}
    assert going("https://a.test", **both) == ["Basic YTph"]
    assert going("https://b.test", **both) == [password_headers(CrawlSettings(netrc_file=file))[1].value]
    assert going("https://a.test", header="a.test=authorization: mine", **both) == []
    assert Headers([Header.parse("a.test=authorization: mine")], frozenset()).going_to("https://a.test") == [
        ("authorization", "mine")
    ]


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("https://a.test", True),
        ("https://b.test", True),
        ("https://[::1]", True),
        ("http://seed.a.test", False),
        ("http://a.test", False),
        ("https://a.test:444", False),
        ("https://c.test", False),
        ("http://b.test:81", True),
    ],
)
def test_a_netrc_is_for_its_machines_and_its_default_for_nobody(origin: str, expected: bool, tmp_path: Path) -> None:
    file = tmp_path / "netrc"
    file.write_text(NETRC)
    assert bool(going(origin, seeds=("http://b.test:81", "http://c.test"), netrc_file=file)) is expected


def test_netrc_is_where_the_environment_says_or_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".netrc").write_text("machine a.test login a password a")
    (tmp_path / "other").write_text("machine a.test login b password b")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NETRC", raising=False)
    assert going("https://a.test", netrc=True) == ["Basic YTph"]
    monkeypatch.setenv("NETRC", str(tmp_path / "other"))
    assert going("https://a.test", netrc=True) == ["Basic Yjpi"]
    monkeypatch.setenv("NETRC", str(tmp_path / "none"))
    with pytest.raises(SettingError, match=f"--netrc: {tmp_path}/none cannot be read: No such file"):
        going("https://a.test", netrc=True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [(b"machine a.test login", "line 1: nothing stands"), (b"nonsense x", "line 1: a word"), (b"\xff", "is not UTF-8")],
)
def test_a_netrc_that_is_none_is_named_without_its_passwords(text: bytes, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "netrc"
    file.write_bytes(text)
    with pytest.raises(SettingError, match=f"--netrc-file: {file}.*{problem}"):
        going("https://a.test", netrc_file=file)


def test_a_host_that_is_none_is_named_by_its_option() -> None:
    with pytest.raises(SettingError, match=r"--auth a\.\.b%%=\.\.\.: 'a\.\.b%%' is no host; write it as"):
        going("https://a.test", auth="a..b%%=me:hush")
