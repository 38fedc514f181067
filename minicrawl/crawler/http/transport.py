"""What carries requests: the protocol between the fetcher and the wire, or what stands in for the wire.

The folder wire carries them over connections of our own, httpx_transport.py by any transport that httpx knows.
"""

from collections.abc import Sequence
from typing import Protocol

from minicrawl.errors import FetchError

PROXY = "proxy"
"""The reason code of what a proxy has kept from being asked for."""
Field = tuple[bytes, bytes]
"""Name and value of a header field."""


class BrokenOffError(FetchError):
    """The connection ended, or nothing more came, before the answer was whole."""


class ProxyError(FetchError):
    """A proxy cannot be used; says why, and nothing of the host behind it."""

    def __init__(self, why: str) -> None:
        super().__init__(PROXY, why)


class Answer(Protocol):
    """An answer whose head has come. Its body is on its way.

    request: the request as it was sent. head: the status line and the fields as they came, with the empty line behind
    them; status, fields: what they say, blanks around values taken off. asked_at: when the request left, by the loop's
    clock. peer: address and port of the other end of the connection, where one is known.
    """

    @property
    def request(self) -> bytes: ...

    @property
    def head(self) -> bytes: ...

    @property
    def status(self) -> int: ...

    @property
    def fields(self) -> Sequence[Field]: ...

    @property
    def asked_at(self) -> float: ...

    @property
    def peer(self) -> str | None: ...

    @property
    def is_read(self) -> bool:
        """Whether the body is known to be whole and read, without a look at whether more comes."""

    async def read(self) -> bytes:
        """What has come of the body since the last call, without its transfer coding; nothing once the body is whole.

        Raises BrokenOffError.
        """

    async def aclose(self) -> None:
        """The body is read as far as anybody wants it."""


class Transport(Protocol):
    """Sends GET requests, any number of them side by side."""

    async def ask(self, url: str, fields: Sequence[Field]) -> Answer:
        """The answer for a normalised URL, whose path is sent as the URL spells it. Raises FetchError."""

    async def aclose(self) -> None: ...


def head(method: bytes, target: bytes, fields: Sequence[Field]) -> bytes:
    """A request without body."""
    lines = b"".join([b"%b: %b\r\n" % field for field in fields])
    return b"%b %b HTTP/1.1\r\n%b\r\n" % (method, target, lines)


def target_of(url: str) -> bytes:
    """Path and query of a normalised URL."""
    return f"/{url.split('/', 3)[3]}".encode()
