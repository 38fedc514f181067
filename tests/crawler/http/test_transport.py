"""The spelling of a request."""

from minicrawl.crawler.http.transport import head


def test_request_is_its_line_its_fields_and_an_empty_line() -> None:
    assert (
        head(b"GET", b"/", [(b"Host", b"a.test"), (b"X", b"\xff")])
        == b"GET / HTTP/1.1\r\nHost: a.test\r\nX: \xff\r\n\r\n"
    )
    assert head(b"CONNECT", b"a.test:443", []) == b"CONNECT a.test:443 HTTP/1.1\r\n\r\n"
