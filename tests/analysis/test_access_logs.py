"""Lines of access logs as Apache, nginx, IIS and CloudFront write them, and lines that are none."""

import gzip
import io
import itertools
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.analysis.access_logs import AccessLog, Request, common, is_bot, open_log
from minicrawl.errors import SettingError

NOON = datetime(2026, 11, 1, 12, 0, 5, tzinfo=UTC).timestamp()
STAMP = b"[01/Nov/2026:12:00:05 +0000]"
REST = b'"-" "Mozilla/5.0 (X11)"'
PLAIN = Request(NOON, b"192.0.2.7", b"Mozilla/5.0 (X11)", b"GET", "/a?b=c", 200)


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        (b'192.0.2.7 - - %b "GET /a?b=c HTTP/1.1" 200 521 %b', {}),
        (b'192.0.2.7 - - %b "GET /a?b=c HTTP/2.0" 200 - %b "the cookie" 0.004', {}),
        (b'192.0.2.7 - John Smith %b "GET /a?b=c" 200 0 %b', {}),
        (b'2001:db8::1 - - %b "GET /a?b=c HTTP/3" 200 9 %b', {"address": b"2001:db8::1"}),
        (b'a.test:443 192.0.2.7 - - %b "GET /a?b=c HTTP/1.1" 200 9 %b', {"host": "a.test", "scheme": "https"}),
        (b'a.test:80 192.0.2.7 - me %b "GET /a?b=c HTTP/1.1" 200 9 %b', {"host": "a.test", "scheme": "http"}),
        (b'a.test:8080 192.0.2.7 - - %b "GET /a?b=c HTTP/1.1" 200 9 %b', {"host": "a.test:8080"}),
        (b'a.test 192.0.2.7 - - %b "GET /a?b=c HTTP/1.1" 200 9 %b', {"host": "a.test"}),
        (b'[::1]:443 192.0.2.7 - - %b "GET /a?b=c HTTP/1.1" 200 9 %b', {"host": "[::1]", "scheme": "https"}),
        (b'192.0.2.7 - - %b "GET http://a.test/ HTTP/1.1" 304 - %b', {"target": "http://a.test/", "status": 304}),
        (b'192.0.2.7 - - %b "GET /a b HTTP/1.1" 200 9 %b', {"target": "/a b"}),
        (b'192.0.2.7 - - %b "GET /%%C3%%A9 HTTP/1.1" 200 9 %b', {"target": "/%C3%A9"}),
        (b'192.0.2.7 - - %b "GET /\\xC3\\xA9\\"\\\\ HTTP/1.1" 200 9 %b', {"target": '/%C3%A9"\\'}),
        (b'192.0.2.7 - - %b "GET /\xc3\xa9\xff HTTP/1.1" 200 9 %b', {"target": "/%C3%A9%FF"}),
        (b'192.0.2.7 - - %b "CONNECT a.test:443 HTTP/1.1" 405 9 %b', {"method": b"CONNECT", "target": "a.test:443",
                                                                   "status": 405}),
        (b'192.0.2.7 - - %b "-" 408 - %b', {"method": b"-", "target": "", "status": 408}),
        (b'192.0.2.7 - - %b "\\x16\\x03\\x01" 400 - %b', {"method": b"\\x16\\x03\\x01", "target": "", "status": 400}),
    ],
)  # fmt: skip
def test_line_in_common_log_format_and_its_kin(line: bytes, changed: dict[str, object]) -> None:
    assert common(line % (STAMP, REST)) == PLAIN._replace(**changed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stamp", "hours"),
    [(b"01/Nov/2026:12:00:05 +0000", 0), (b"01/Nov/2026:05:00:05 -0700", 0), (b"01/Nov/2026:17:30:05 +0530", 0),
     (b"01/Nov/2026:08:30:05 -0330", 0), (b"31/Oct/2026:23:00:05 -0100", -12)],
)  # fmt: skip
def test_time_has_its_zone(stamp: bytes, hours: int) -> None:
    found = common(b'192.0.2.7 - - [%b] "GET /a?b=c HTTP/1.1" 200 9 %b' % (stamp, REST))
    assert found == PLAIN._replace(at=NOON + 3600 * hours)


@pytest.mark.parametrize(
    ("end", "agent"),
    [(b"", None), (b' "http://b.test/"', None), (b' "-" "-"', b"-"), (b' "-" ""', b""),
     (b' "http://b.test/?\\"" "says \\"hello\\" \\\\"', b'says \\"hello\\" \\\\'),
     (b' "-" "unfinished', None), (b' "-" "%b"' % (b"x" * 1000), b"x" * 500)],
)  # fmt: skip
def test_agent_may_lack_or_have_quotes(end: bytes, agent: bytes | None) -> None:
    found = common(b'192.0.2.7 - - %b "GET /a?b=c HTTP/1.1" 200 9%b' % (STAMP, end))
    assert found == PLAIN._replace(agent=agent)


@pytest.mark.parametrize(
    "line",
    [
        b"hello",
        b'192.0.2.7 - - [32/Nov/2026:12:00:05 +0000] "GET / HTTP/1.1" 200 9',
        b'192.0.2.7 - - [01/Mai/2026:12:00:05 +0000] "GET / HTTP/1.1" 200 9',
        b'192.0.2.7 - - [01/Nov/2026:12:00:05 +9900] "GET / HTTP/1.1" 200 9',
        b'192.0.2.7 - - [01/Nov/0000:12:00:05 +0000] "GET / HTTP/1.1" 200 9',
        b'192.0.2.7 - - [01/Nov/2026:12:00:05 +0000] "GET / HTTP/1.1" OK 9',
        b'192.0.2.7 - - [01/Nov/2026:12:00:05 +0000] "GET / HTTP/1.1',
        b'[01/Nov/2026:12:00:05 +0000] "GET / HTTP/1.1" 200 9',
        b'{"remote_addr": "192.0.2.7", "request": "GET / HTTP/1.1"}',
    ],
)
def test_what_is_no_record_is_counted(line: bytes) -> None:
    log = AccessLog()
    assert list(log.requests(io.BytesIO(line + b"\n\n" + line))) == []
    assert (log.lines, log.strays) == (2, 2)


IIS = b"""#Software: Microsoft Internet Information Services 10.0
#Version: 1.0
#Date: 2026-11-01 00:00:00
#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs-host sc-status
2026-11-01 12:00:05 10.0.0.1 GET /a b=c 443 - 192.0.2.7 Mozilla/5.0+(X11) a.test 200
2026-11-01 12:00:05 10.0.0.1 GET /a - 80 - 192.0.2.7 - - 200
2026-11-01 12:00:05 10.0.0.1 GET /a
#Fields: time cs-method cs-uri sc-status c-ip cs(Sec-Purpose)
12:00:05 GET http://a.test/?x 200 "192.0.2.7" "prefetch; \""now\"\""
12:00:05 GET - 200 192.0.2.7 -
#Fields: sc-status
200
"""
CLOUDFRONT = b"""#Version: 1.0
#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) \
cs-uri-query x-host-header cs-protocol
2026-11-01\t12:00:05\tFRA2\t9\t192.0.2.7\tGET\td1.cloudfront.net\t/a\t200\t-\tMozilla/5.0%20(X11)\tb=c\ta.test\thttps
"""


def test_w3c_logs_are_read_by_the_fields_that_they_tell() -> None:
    log = AccessLog()
    first, second, third = log.requests(io.BytesIO(IIS))
    assert first == PLAIN._replace(agent=b"Mozilla/5.0+(X11)", host="a.test", scheme="https")
    assert second == PLAIN._replace(agent=b"-", target="/a", scheme="http")
    assert third == PLAIN._replace(agent=None, target="http://a.test/?x", prefetch=True)
    assert (log.lines, log.strays) == (6, 3)
    (cloud,) = log.requests(io.BytesIO(CLOUDFRONT))
    assert cloud == PLAIN._replace(agent=b"Mozilla/5.0%20(X11)", host="a.test", scheme="https")
    assert list(log.requests(io.BytesIO(b'192.0.2.7 - - %b "GET /a?b=c" 200 9 %b' % (STAMP, REST)))) == [PLAIN]


@given(st.lists(st.binary(max_size=60) | st.sampled_from([*IIS.splitlines(), *CLOUDFRONT.splitlines()]), max_size=12))
def test_no_line_raises(lines: list[bytes]) -> None:
    log = AccessLog()
    assert len(list(log.requests(io.BytesIO(b"\n".join(lines))))) == log.lines - log.strays


def test_long_line_is_skipped_and_takes_no_memory() -> None:
    record = b'192.0.2.7 - - %b "GET /a?b=c HTTP/1.1" 200 9 %b\n' % (STAMP, REST)
    long = itertools.chain([record], itertools.repeat(b"x" * 2**16, 500), [b"\n", record])

    class Long(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, room: memoryview) -> int:  # type: ignore[override]
            piece = next(long, b"")
            room[: len(piece)] = piece
            return len(piece)

    log = AccessLog()
    assert list(log.requests(io.BufferedReader(Long(), 2**17))) == [PLAIN, PLAIN]
    assert (log.lines, log.strays) == (3, 1)


@pytest.mark.parametrize("name", ["access.log", "access.log.gz"])
def test_gzip_is_told_by_content(tmp_path: Path, name: str) -> None:
    records = 1_000 * (b'192.0.2.7 - - %b "GET /a?b=c HTTP/1.1" 200 9 %b\n' % (STAMP, REST))
    packed = gzip.compress(records) + gzip.compress(records)
    rest = 2_000 - 2**17 * 2_000 // len(records * 2)  # what was inflated last is lost: a buffer, 128 kB at most
    for content, is_cut, least in (
        (records * 2, False, 2_000),
        (packed, False, 2_000),
        (packed[:-9], True, rest),
        (packed + b"x", True, rest),
    ):
        (tmp_path / name).write_bytes(content)
        log = AccessLog()
        with open_log(str(tmp_path / name)) as file:
            found = list(log.requests(file))
        assert set(found) == {PLAIN}
        assert least <= len(found) <= 2_000
        assert log.is_cut == is_cut


def test_log_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.log"):
        with pytest.raises(SettingError, match=f"--log {path} cannot be read"), open_log(str(path)):
            pass


BROWSERS = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 "
    "Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)",
    "Opera/9.80 (Windows NT 6.1) Presto/2.12 Version/12.16",
]
BOTS = [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; Yahoo! Slurp)",
    "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/130.0.0.0 Safari/537.36",
    "minicrawl/0.1.0",
    "curl/8.5.0",
    "-",
    "",
]


def test_bots_tell_themselves() -> None:
    assert [agent for agent in BROWSERS if is_bot(agent.encode())] == []
    assert [agent for agent in BOTS if not is_bot(agent.encode())] == []
    assert not is_bot(None)
