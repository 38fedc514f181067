"""An HTTP/2 connection, for hosts that refuse HTTP/1.1. Loaded for the first of them."""

from typing import Self

from minicrawl.crawler.http.connection import Connection, Endpoint
from minicrawl.crawler.http.http2_session import Http2Session
from minicrawl.crawler.http.transport import BrokenOffError, NoHttp2Error
from minicrawl.crawler.net.tls import HTTP_2, TlsClient, without_protocol


class Http2Connection(Connection):
    """A connection with one request at a time, as frames.

    Requests are given, and responses told, as those of HTTP/1.1.
    """

    protocol = HTTP_2

    def __init__(self, read_timeout: float) -> None:
        self._session = Http2Session()
        super().__init__(read_timeout)

    def _begin(self) -> None:
        super()._begin()
        self._answer = self._session

    async def ask(self, request: bytes) -> Self:
        try:
            return await super().ask(request)
        except BrokenOffError as error:
            if error.reason != "reset" or self._session.is_begun or self.has_agreed:
                raise
            raise NoHttp2Error("reset", "no byte of HTTP/2") from error

    def _encoded(self, request: bytes) -> bytes:
        return self._session.request(request, b"https" if self.has_agreed else b"http")

    async def start_tls(self, client: TlsClient, endpoint: Endpoint) -> None:
        await super().start_tls(client, endpoint)
        if not self.has_agreed:
            raise without_protocol()

    def data_received(self, data: bytes) -> None:
        if self._session.is_whole:
            self._session.feed(data)  # SETTINGS, PING and GOAWAY come between responses, too
        else:
            super().data_received(data)
            self.is_silent = not self._session.has_head
        if self._transport is not None and (unsent := self._session.unsent()):
            self._transport.write(unsent)
        if self._session.failure is not None:
            self._fail(self._session.failure)
