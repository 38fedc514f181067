"""HTTP/1.1 or HTTP/2: the protocol by which an endpoint is asked.

It is HTTP/1.1 until the endpoint refuses that; then HTTP/2, until it turns out not to speak that.
"""

import re
import ssl
from enum import Enum, auto

from minicrawl import log
from minicrawl.crawler.http.answer_reader import FrameError
from minicrawl.crawler.http.connection import Connection, Endpoint
from minicrawl.crawler.http.transport import BrokenOffError, NoHttp2Error
from minicrawl.crawler.net.tls import HTTP_1, HTTP_2, is_without_protocol
from minicrawl.errors import FetchError

_UPGRADE_REQUIRED, _NOT_SUPPORTED = 426, 505  # RFC 9110 15.5.22, 15.6.6
_HTTP_2 = re.compile(rb"\b(?:h2c?|http/2(?:\.0)?)(?![\w./])", re.IGNORECASE)
_MOST_REFUSALS = 10_000


class _Http2(Enum):
    """Whether an endpoint that refuses HTTP/1.1 speaks HTTP/2."""

    PERHAPS = auto()
    YES = auto()
    NO = auto()


class Protocols:
    """Notes which endpoints have refused HTTP/1.1, and whether they speak HTTP/2."""

    def __init__(self) -> None:
        self._refusing: dict[Endpoint, _Http2] = {}

    def of(self, endpoint: Endpoint) -> str:
        """The protocol for the next connection to an endpoint."""
        return HTTP_2 if self._refusing.get(endpoint) in (_Http2.PERHAPS, _Http2.YES) else HTTP_1

    def changed_by_answer(self, endpoint: Endpoint, connection: Connection) -> bool:
        """True if a response refuses HTTP/1.1, and the request is to be sent again by HTTP/2."""
        status = connection.status
        if status not in (_UPGRADE_REQUIRED, _NOT_SUPPORTED):
            if connection.protocol == HTTP_2:
                self._refusing[endpoint] = _Http2.YES
            return False
        if connection.protocol == HTTP_2 or endpoint.is_forwarded:
            return False
        if status == _UPGRADE_REQUIRED:
            if not any(name.lower() == b"upgrade" and _HTTP_2.search(value) for name, value in connection.fields):
                return False
        elif not endpoint.is_tls:  # then 505 does not say that HTTP/2 would do
            return False
        return self._refused(endpoint)

    def changed_by_failure(self, endpoint: Endpoint, connection: Connection, error: FetchError) -> bool:
        """True if a request failed as its protocol is not spoken there, and is to be sent again by the other one."""
        if connection.protocol == HTTP_2:
            is_known_to_speak_it = self._refusing.get(endpoint) is _Http2.YES
            if not isinstance(error, NoHttp2Error) or (error.reason == "reset" and is_known_to_speak_it):
                return False
            self._refusing[endpoint] = _Http2.NO
            return True
        # Some servers leave without a byte when TLS has agreed on no protocol.
        is_refusal = endpoint.is_tls and not connection.has_agreed and is_left(connection, error)
        if endpoint.is_forwarded or not (is_refusal or isinstance(error, FrameError)):
            return False
        return self._refused(endpoint)

    def changed_by_handshake(self, endpoint: Endpoint, protocol: str, error: ssl.SSLError) -> bool:
        """True if a handshake failed over the protocol that it offered, and the other one is to be offered."""
        if not is_without_protocol(error):
            return False
        if protocol == HTTP_2:
            self._refusing[endpoint] = _Http2.NO
            return True
        return self._refused(endpoint)

    def _refused(self, endpoint: Endpoint) -> bool:
        """Note that an endpoint refuses HTTP/1.1. True if it is to be asked by HTTP/2: it may be known from a request
        at the same time that it does not speak that."""
        known = self._refusing.get(endpoint)
        if known is None:
            log.http2_tried(host=str(endpoint))
            while len(self._refusing) >= _MOST_REFUSALS:
                del self._refusing[next(iter(self._refusing))]  # the oldest
            self._refusing[endpoint] = _Http2.PERHAPS
        return known is not _Http2.NO


def is_left(connection: Connection, error: FetchError) -> bool:
    """True if a request failed because the server has ended the connection without a byte of a response."""
    return isinstance(error, BrokenOffError) and error.reason == "reset" and connection.is_silent
