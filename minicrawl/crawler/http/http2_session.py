"""The frames of an HTTP/2 connection with one request at a time (RFC 9113), by the library h2. No I/O happens here.

h2 gets one frame at a time, so that each is counted first: a frame of nine bytes costs as much CPU as one of 16 kB. It
gets no GOAWAY, after which it would refuse the rest of a response that the server still sends.
"""

import re

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, ResponseReceived, StreamEnded, StreamReset
from h2.exceptions import H2Error
from h2.settings import SettingCodes, Settings

from minicrawl.crawler.http.answer_reader import LONGEST_HEAD, AnswerReader
from minicrawl.crawler.http.transport import BrokenOffError, NoHttp2Error
from minicrawl.errors import FetchError

_FRAME_HEAD, _LARGEST_FRAME = 9, 2**14
_DATA, _HEADERS, _SETTINGS, _GOAWAY = 0, 1, 4, 7
_RESERVED = 1 << 31  # a bit without a meaning in the numbers of streams
_WINDOW = 2**24  # bytes; with one response at a time, TCP's flow control is enough
_MOST_INDEXED = 4096  # bytes of our own fields in HPACK's table, for which a server may ask for any size
_MOST_OVERHEAD = 2 * LONGEST_HEAD  # bytes in a row without body
_FREE_FRAMES, _PER_FRAME = 1000, 32  # frames of a response, and bytes of body for each further one
_NO_TEXT = re.compile(rb"[\r\n\0]")
_CONFIG = H2Configuration(validate_outbound_headers=False, validate_inbound_headers=False)


class Http2Session:
    """Writes requests, and parses the response to the last one, with the attributes of an AnswerReader.

    `head`: that of HTTP/1.1 with the same meaning. `is_begun`: the server has sent a frame. `failure`: set once
    the connection can no longer be used.
    """

    is_followed = False

    def __init__(self) -> None:
        self._h2 = H2Connection(_CONFIG)
        codes = {
            SettingCodes.ENABLE_PUSH: 0,
            SettingCodes.INITIAL_WINDOW_SIZE: _WINDOW,
            SettingCodes.MAX_HEADER_LIST_SIZE: LONGEST_HEAD,
        }
        self._h2.local_settings = Settings(client=True, initial_values=codes)
        del self._h2.local_settings[SettingCodes.ENABLE_CONNECT_PROTOCOL]  # means nothing from a client (RFC 8441 3)
        self._h2.decoder.max_header_list_size = LONGEST_HEAD
        self._h2.initiate_connection()
        self._h2.increment_flow_control_window(_WINDOW)
        self._begun = bytearray()
        self._stream = 0
        self.is_begun = False
        self.keeps_alive = True
        self.failure: FetchError | None = None
        self._begin()

    def _begin(self) -> None:
        """Forget the last response."""
        self.head = b""
        self.status = 0
        self.fields: list[tuple[bytes, bytes]] = []
        self.has_head = self.is_whole = False
        self._frames = self._size = self._overhead = 0

    def request(self, head: bytes, scheme: bytes) -> bytes:
        """The frames of a request, given as one of HTTP/1.1. Raises FetchError."""
        self._begin()
        line, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
        method, target, _ = line.split(b" ")
        fields = [(name.lower(), value) for name, _, value in (line.partition(b": ") for line in lines)]
        host = dict(fields)[b"host"]
        others = [field for field in fields if field[0] != b"host"]
        pseudo = [(b":method", method), (b":scheme", scheme), (b":authority", host), (b":path", target)]
        try:
            self._h2.encoder.header_table_size = min(self._h2.encoder.header_table_size, _MOST_INDEXED)
            self._stream = self._h2.get_next_available_stream_id()
            self._h2.send_headers(self._stream, pseudo + others, end_stream=True)
        except H2Error as error:  # it takes no more requests on this connection
            raise BrokenOffError("reset", str(error)) from error
        return self.unsent()

    def unsent(self) -> bytes:
        """Frames that are to be sent."""
        return self._h2.data_to_send()

    def feed(self, data: bytes) -> list[bytes]:
        """Parse more bytes. Returns the pieces of the body in them."""
        self._begun += data
        pieces: list[bytes] = []
        try:
            while self.failure is None and (frame := self._frame()):
                self._read(frame, pieces)
        except H2Error as error:
            self.failure = BrokenOffError("bad-response", str(error)) if self.has_head else _bad(str(error))
        except FetchError as error:
            self.failure = error.with_traceback(None)
        return pieces

    def end(self) -> bool:
        """The connection ended. Returns True if the response is complete."""
        return self.is_whole

    def _frame(self) -> bytes:
        """The next frame; empty if it is incomplete."""
        if not self.is_begun and len(self._begun) >= _FRAME_HEAD:
            if self._begun[3] != _SETTINGS:
                raise NoHttp2Error("bad-response", f"{bytes(self._begun[:20])!r} is no HTTP/2")
            self.is_begun = True
        size = _FRAME_HEAD + int.from_bytes(self._begun[:3])
        if len(self._begun) >= _FRAME_HEAD and size > _FRAME_HEAD + _LARGEST_FRAME:
            raise _bad(f"a frame of {size} bytes")
        if len(self._begun) < size:
            return b""
        frame = bytes(self._begun[:size])
        del self._begun[:size]
        self._frames += 1
        self._overhead += size
        if self._overhead > _MOST_OVERHEAD or self._frames > _FREE_FRAMES + self._size // _PER_FRAME:
            raise BrokenOffError("bad-response", f"{self._frames} frames for {self._size} bytes of a body")
        return frame

    def _read(self, frame: bytes, pieces: list[bytes]) -> None:
        if frame[3] in (_DATA, _HEADERS) and int.from_bytes(frame[5:9]) & ~_RESERVED != self._stream:
            raise _bad("a stream that was not asked for")
        if frame[3] == _GOAWAY:
            self.keeps_alive = False
            last, code = int.from_bytes(frame[9:13]) & ~_RESERVED, int.from_bytes(frame[13:17])
            if last < self._stream and not self.is_whole:
                self._break_off(f"the server goes away, code {code}")
            return
        for event in self._h2.receive_data(frame):
            if isinstance(event, DataReceived):
                self._h2.acknowledge_received_data(event.flow_controlled_length or 0, self._stream)
                if event.data:
                    pieces.append(event.data)
                    self._size += len(event.data)
                    self._overhead = 0
            elif isinstance(event, ResponseReceived):
                self._read_head(event.headers or [])
            elif isinstance(event, StreamEnded):
                self.is_whole = True
            elif isinstance(event, StreamReset):
                self._break_off(f"the server resets the stream, code {event.error_code}")

    def _break_off(self, why: str) -> None:
        self.failure = BrokenOffError("bad-response" if self.has_head else "reset", why)

    def _read_head(self, fields: list[tuple[bytes, bytes]]) -> None:
        """Read a head as one of HTTP/1.1, whose limits hold."""
        if any(_NO_TEXT.search(part) for field in fields for part in field):
            raise _bad("a line break in a field")  # RFC 9113 8.2.1
        status = dict(fields).get(b":status", b"")
        lines = [b"%b: %b\r\n" % field for field in fields if not field[0].startswith(b":")]
        reader = AnswerReader()
        reader.feed(b"HTTP/1.1 %b \r\n%b\r\n" % (status, b"".join(lines)))
        self.head, self.status, self.fields, self.has_head = reader.head, reader.status, reader.fields, True


def _bad(why: str) -> FetchError:
    return FetchError("bad-response", why)
