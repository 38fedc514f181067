"""Parse an HTTP/1.1 response from the bytes that a server sends: its head, and its body without framing (RFC 9112).

Where the RFC leaves a choice, or servers break it, browsers are the model. No I/O happens here, and the result does not
depend on how the bytes are split.
"""

import re

from minicrawl.errors import FetchError
from minicrawl.web.http.transport import NoHttp1Error

LONGEST_HEAD = 256 * 1024
"""Bytes of a head, as in Chromium; some contain a Content-Security-Policy of many kB."""
_MOST_FIELDS = 5000
_MOST_OVERHEAD = 2 * LONGEST_HEAD  # bytes in a row without body: interim responses, chunk extensions, trailers
_BEGINNING = b"HTTP/"

_END_OF_HEAD = re.compile(rb"\n\r?\n")
# Some servers claim HTTP/2 in an HTTP/1.1 response.
_STATUS_LINE = re.compile(rb"HTTP/(?:1\.(\d)|2(?:\.0)?)[\t ]+([1-9]\d\d)(?!\d)[^\n]*\n", re.IGNORECASE)
_FOLD = re.compile(rb"\n[\t ]+")
# Lines that are no field are skipped. RFC 9112 5.1: white space before the colon is no part of the name.
_FIELD = re.compile(rb"^([!#$%&'*+.^_`|~\w-]++)[\t ]*+:([^\n]*+)", re.MULTILINE)
_CHUNK_SIZE = re.compile(rb"[\t ]*+0*+([\da-fA-F]{0,15})(?<=[\da-fA-F])[\t ]*+(?:;.*)?\r?", re.DOTALL)
_PLAIN_CHUNK_SIZE = re.compile(rb"([\da-fA-F]{1,6}+)\r\n")
_DIGITS = 18
_EMPTY_LINE = (b"", b"\r")
_FRAMING = frozenset({b"connection", b"content-length", b"transfer-encoding"})


class AnswerReader:
    """Parses one response.

    Valid once `has_head`: `head` (bytes, without interim responses), `status` and `fields` (in order, values stripped,
    without trailers). `is_whole`: the response is complete; `is_followed`: more bytes followed it; `keeps_alive`: the
    server accepts another request.
    """

    def __init__(self) -> None:
        self.head = b""
        self.status = 0
        self.fields: list[tuple[bytes, bytes]] = []
        self.has_head = self.is_whole = self.is_followed = self.keeps_alive = False
        self._begun = b""
        self._overhead = 0
        self._left: int | None = None  # bytes left of the body or chunk; None: until the connection ends
        self._is_chunked = self._ends_chunk = self._is_behind_chunks = False
        self._line = b""  # an incomplete line

    def feed(self, data: bytes) -> list[bytes]:
        """Parse more bytes. Returns the pieces of the body in them. Raises FetchError for an invalid response."""
        rest = data if self.has_head else self._behind_head(data)
        pieces = self._of_body(rest) if rest else []
        self._overhead = 0 if pieces else self._overhead + len(data)
        if self._overhead > _MOST_OVERHEAD:
            raise _bad(f"more than {_MOST_OVERHEAD} bytes without any of a body")
        return pieces

    def end(self) -> bool:
        """The connection ended. Returns True if the response is complete (RFC 9112 6.3, 8)."""
        if self.has_head and self._left is None:
            self.is_whole = True
        return self.is_whole

    def _behind_head(self, data: bytes) -> bytes:
        """Read the head once it is complete. Returns the bytes behind it."""
        searched = max(len(self._begun) - 2, 0)
        data, self._begun = self._begun + data, b""
        while not self.has_head:
            if not searched:
                data = data.lstrip(b"\r\n")  # RFC 9112 2.2: leading empty lines
            end = _END_OF_HEAD.search(data, searched)
            head = data if end is None else data[: end.end()]
            _check_beginning(head)
            if end is None:
                self._begun = data
                return b""
            self._read_head(head)
            data, searched = data[end.end() :], 0
        return data

    def _read_head(self, head: bytes) -> None:
        line = _STATUS_LINE.match(head)
        if line is None or b"\0" in head:
            raise _bad(f"{head[:40]!r} begins no answer")
        status = int(line[2])
        if status == 101:
            raise _bad("a change of protocol that minicrawl did not request")
        if status < 200:
            return  # RFC 9110 15.2: any number of interim responses
        # RFC 9112 2.2, 5.2: a bare carriage return is a space, and so is a line break before white space.
        text = _FOLD.sub(b" ", head[line.end() :].replace(b"\r\n", b"\n").replace(b"\r", b" "))
        self.fields = [(name, value.strip(b"\t ")) for name, value in _FIELD.findall(text)]
        if len(self.fields) > _MOST_FIELDS:
            raise _bad(f"more than {_MOST_FIELDS} fields")
        self.head, self.status = head, status
        self._read_framing(is_old=line[1] == b"0")
        self.has_head = True

    def _read_framing(self, *, is_old: bool) -> None:
        """Set how the body ends (RFC 9112 6.3), and whether the connection persists (9.3)."""
        named: dict[bytes, list[bytes]] = {}
        for name, value in self.fields:
            if (lower := name.lower()) in _FRAMING:
                named.setdefault(lower, []).append(value)
        connection = _listed(named, b"connection")
        self.keeps_alive = b"close" not in connection and (not is_old or b"keep-alive" in connection)
        codings = [coding for coding in _listed(named, b"transfer-encoding") if coding not in (b"", b"identity")]
        if self.status in (204, 304):
            self._left, self.is_whole = 0, True
        elif codings:
            if set(codings) != {b"chunked"}:  # RFC 9112 6.1: no other was requested; twice counts as once
                raise _bad(f"transfer-encoding {b', '.join(codings)!r}")
            self._left, self._is_chunked = 0, True
            # RFC 9112 6.1, 6.3: chunked in HTTP/1.0 or with a length is read, but the connection is not reused.
            self.keeps_alive = self.keeps_alive and not is_old and b"content-length" not in named
        elif b"content-length" in named:
            self._left = _length(_listed(named, b"content-length"))
            self.is_whole = self._left == 0
            self.keeps_alive = self.keeps_alive and self._left is not None
        else:
            self.keeps_alive = False

    def _of_body(self, data: bytes) -> list[bytes]:
        if self.is_whole:
            self.is_followed = True
            return []
        if self._is_chunked:
            return self._of_chunks(data)
        if self._left is None:
            return [data]
        piece = data[: self._left]
        self._left -= len(piece)
        self.is_whole = not self._left
        self.is_followed = len(piece) < len(data)
        return [piece]

    def _of_chunks(self, data: bytes) -> list[bytes]:
        pieces = []
        at = 0
        while at < len(data) and not self.is_whole:
            if not (self._left or self._line or self._ends_chunk or self._is_behind_chunks):
                # Fast path for a complete and regular chunk: there may be one for every byte of the body.
                plain = _PLAIN_CHUNK_SIZE.match(data, at)
                end = plain.end() + int(plain[1], 16) if plain else 0
                if plain and end > plain.end() and data.startswith(b"\r\n", end):
                    pieces.append(data[plain.end() : end])
                    at = end + 2
                    continue
            if self._left:
                piece = data[at : at + self._left]
                pieces.append(piece)
                at += len(piece)
                self._left -= len(piece)
                continue
            end = data.find(b"\n", at)
            if end < 0:
                self._line += data[at:]
                return pieces
            line = self._line + data[at:end] if self._line else data[at:end]
            self._line = b""
            at = end + 1
            self._read_line(line)
        self.is_followed = at < len(data)
        return pieces

    def _read_line(self, line: bytes) -> None:
        """Parse a line between chunks: the end of one, the size of the next, or a trailer (RFC 9112 7.1)."""
        if self._is_behind_chunks:
            self.is_whole = line in _EMPTY_LINE
        elif self._ends_chunk:
            if line not in _EMPTY_LINE:
                raise _bad(f"{line[:20]!r} behind a chunk")
            self._ends_chunk = False
        else:
            size = _CHUNK_SIZE.fullmatch(line)
            if size is None:
                raise _bad(f"a chunk of size {line[:20]!r}")
            self._left = int(size[1] or b"0", 16)
            self._ends_chunk = self._left > 0
            self._is_behind_chunks = not self._ends_chunk


def _check_beginning(head: bytes) -> None:
    """Raise FetchError for bytes that cannot be a head, or its beginning."""
    # RFC 9112 2.2: a carriage return alone ends no line.
    if not _BEGINNING.startswith(head[: len(_BEGINNING)].upper()) or (b"\n" not in head and b"\r" in head[:-1]):
        raise (NoHttp1Error if head.startswith(b"\0") else FetchError)("bad-response", f"{head[:20]!r} is not HTTP")
    if len(head) > LONGEST_HEAD:
        raise _bad(f"a head of more than {LONGEST_HEAD} bytes")


def _listed(named: dict[bytes, list[bytes]], name: bytes) -> list[bytes]:
    """The list elements of all fields of a name, in lower case (RFC 9110 5.6.1)."""
    if name not in named:
        return []
    return [element.strip(b"\t ").lower() for element in b",".join(named[name]).split(b",")]


def _length(values: list[bytes]) -> int | None:
    """The Content-Length, possibly repeated (RFC 9110 8.6); None for an invalid one: browsers then read to the end of
    the connection, although RFC 9112 6.3 is stricter."""
    lengths = {value.lstrip(b"0") or b"0" for value in values if value.isdigit()}
    if len(lengths) > 1:
        raise _bad(f"content-length {b', '.join(values)[:40]!r}")
    length = next(iter(lengths), b"")
    return int(length) if all(map(bytes.isdigit, values)) and len(length) <= _DIGITS else None


def _bad(why: str) -> FetchError:
    return FetchError("bad-response", why)
