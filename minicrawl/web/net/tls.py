"""A TLS client layer between a transport and a protocol (RFC 8446).

asyncio's own keeps 256 KiB of buffers a connection, leaves closed connections in reference cycles, and cannot resume a
session. This one buffers only data in transit, and resumes a host's last session, which spares the certificates, most
of a handshake's cost.
"""

import asyncio
import ssl
from collections import OrderedDict
from collections.abc import Set
from functools import lru_cache
from pathlib import Path

from minicrawl.errors import SettingError

# Error numbers of OpenSSL's x509_vfy.h, X509_V_ERR_...
_CERTIFICATE_REASONS = {
    **dict.fromkeys((2, 18, 19, 20, 21, 24, 27), "tls-authority"),
    **dict.fromkeys((9, 10), "tls-expired"),
    **dict.fromkeys((62, 64), "tls-name"),
}
HTTP_1, HTTP_2 = "http/1.1", "h2"
"""Application protocols that a handshake can agree on (RFC 7301 6)."""
_STEP = 16 * 1024  # bytes handed to OpenSSL at a time: its buffers never shrink
_MOST_SESSIONS = 1_000  # of 6 kB each


def tls_reason(error: ssl.SSLError) -> str:
    """The reason code of a failed handshake: "tls" for everything but the certificate, such as no common version."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _CERTIFICATE_REASONS.get(error.verify_code, "tls")
    return "tls"


@lru_cache(maxsize=8)
def trust(ca_file: Path | None, protocol: str, client_cert: Path | None = None) -> ssl.SSLContext:
    """The context with the trusted authorities, for an application protocol. It takes 40 ms to read, and is shared.
    client_cert: a certificate with its key, shown to servers that ask for one. Raises SettingError for a bad file."""
    tls = ssl.create_default_context()
    tls.set_alpn_protocols([protocol])
    if ca_file is not None:
        try:
            tls.load_verify_locations(ca_file)
        except (ssl.SSLError, OSError) as error:
            raise SettingError(f"--ca-file {ca_file} holds no certificate in PEM form") from error
    if client_cert is not None:
        try:
            tls.load_cert_chain(client_cert, password=_refuse_to_ask)
        except _LockedError as error:
            way_out = "'openssl pkey' removes the passphrase; make sure that only you can read that file"
            raise SettingError(f"--client-cert {client_cert}: its key has a passphrase; {way_out}") from error
        except (ssl.SSLError, OSError) as error:
            raise SettingError(
                f"--client-cert {client_cert} does not hold a certificate and its key, both in PEM form"
            ) from error
    return tls


class _LockedError(Exception):
    """A key has a passphrase. Without this, OpenSSL asks for it at the terminal."""


def _refuse_to_ask() -> str:
    raise _LockedError


class TlsClient:
    """State shared by all TLS connections: trust, and the last session of each host and port, resumed only for the name
    that its certificate was verified for, and by the same context."""

    def __init__(
        self, ca_file: Path | None, client_cert: Path | None = None, shown_to: Set[tuple[str, int]] = frozenset()
    ) -> None:
        """shown_to: hosts and ports that may see the client's certificate. Raises SettingError for a bad file."""
        self._ca_file, self._client_cert, self._shown_to = ca_file, client_cert, shown_to
        if ca_file is not None or client_cert is not None:  # else read with the first connection by TLS
            trust(ca_file, HTTP_1, client_cert)
        self._sessions: OrderedDict[tuple[str, int], ssl.SSLSession] = OrderedDict()

    def shows(self, host: str, port: int) -> bool:
        """True if a host may see the client's certificate."""
        return (host, port) in self._shown_to

    def context(self, protocol: str, *, shows: bool = False) -> ssl.SSLContext:
        """The context for an application protocol. shows: the client's certificate."""
        return trust(self._ca_file, protocol, self._client_cert if shows else None)

    def begun(self, host: str, port: int, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO) -> ssl.SSLObject:
        session = self._sessions.get((host, port))
        context = self.context(HTTP_1, shows=self.shows(host, port))
        return context.wrap_bio(incoming, outgoing, server_hostname=host, session=session)

    def keep(self, host: str, port: int, session: ssl.SSLSession | None) -> None:
        """Keep a session for the next connection to a host."""
        if session is not None:
            self._sessions[host, port] = session
            self._sessions.move_to_end((host, port))
            if len(self._sessions) > _MOST_SESSIONS:
                self._sessions.popitem(last=False)


class TlsLayer(asyncio.Protocol):
    """One connection: the protocol of the transport below, and the transport of the protocol above, whose
    connection_made() is called once the handshake is done."""

    def __init__(self, client: TlsClient, host: str, port: int, above: asyncio.Protocol) -> None:
        self._client, self._host, self._port = client, host, port
        self._above = above
        self._below: asyncio.Transport | None = None
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = client.begun(host, port, self._incoming, self._outgoing)
        self._is_secured = self._is_kept = False
        self._unsent = b""
        self._shaken: asyncio.Future[None] | None = asyncio.get_running_loop().create_future()

    async def secure(self, below: asyncio.Transport) -> bool:
        """Shake hands over a transport, whose protocol this becomes. Returns True if the server has agreed on
        HTTP/1.1; one that knows nothing of application protocols does not.

        Raises ssl.SSLError, ConnectionResetError; the transport below is to be closed then.
        """
        assert self._shaken is not None
        self._below = below
        below.set_protocol(self)
        self._go_on()
        try:
            await self._shaken
        finally:
            self._shaken = None  # its exception references this frame
        return self._tls.selected_alpn_protocol() == HTTP_1

    # As the transport of the protocol above.

    def write(self, data: bytes) -> None:
        self._unsent += data
        self._go_on()

    def pause_reading(self) -> None:
        if self._below is not None:
            self._below.pause_reading()

    def resume_reading(self) -> None:
        if self._below is not None:
            self._below.resume_reading()

    def abort(self) -> None:
        if self._below is not None:
            self._below.abort()

    # As the protocol of the transport below.

    def data_received(self, data: bytes) -> None:
        pieces: list[bytes] = []
        is_over = False
        for start in range(0, len(data), _STEP):
            self._incoming.write(data[start : start + _STEP])
            is_over |= self._go_on(pieces)
        self._deliver(pieces, is_over=is_over)

    def eof_received(self) -> None:
        """An end without a TLS alert may be a truncation, so it counts as a lost connection (RFC 8446 6.1)."""

    def connection_lost(self, error: Exception | None) -> None:
        self._below = None
        self._fail(error or ConnectionResetError("the connection ended in the handshake"))
        self._above.connection_lost(error)
        del self._above  # a reference cycle

    def _go_on(self, pieces: list[bytes] | None = None) -> bool:
        """Handshake, read and write as far as possible. Returns True if the server has closed TLS. pieces: receives the
        data; None to read nothing."""
        is_over = False
        try:
            if not self._is_secured:
                self._tls.do_handshake()
                self._is_secured = True
                if self._shaken is not None and not self._shaken.done():
                    self._shaken.set_result(None)
                self._above.connection_made(self)  # type: ignore[arg-type]
            while self._unsent:
                self._unsent = self._unsent[self._tls.write(self._unsent) :]
            while pieces is not None and not is_over:
                piece = self._tls.read(_STEP)
                pieces.append(piece)
                is_over = not piece
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            self._flush()  # the alert
            self._fail(error)
        self._flush()
        return is_over

    def _deliver(self, pieces: list[bytes], *, is_over: bool) -> None:
        data = b"".join(pieces)
        if data:
            if not self._is_kept:  # a ticket comes before the first data, if at all (RFC 8446 4.6.1)
                self._is_kept = True
                if not self._tls.session_reused:  # copying a session costs as much as a handshake; the old one will do
                    self._client.keep(self._host, self._port, self._tls.session)
            self._above.data_received(data)
        if is_over:
            self._above.eof_received()
            self.abort()

    def _flush(self) -> None:
        data = self._outgoing.read()
        if data and self._below is not None:
            self._below.write(data)

    def _fail(self, error: Exception) -> None:
        if self._shaken is not None and not self._shaken.done():
            self._shaken.set_exception(error)
        self.abort()
