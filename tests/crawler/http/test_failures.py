"""Which reason code an exception becomes."""

import errno
import socket
import ssl

import pytest

from minicrawl.crawler.http.failures import reason_of
from minicrawl.crawler.net.addresses import PrivateAddressError
from minicrawl.crawler.net.dns import NameServerError
from minicrawl.crawler.net.open_files import OPEN_FILES


def caused_by(cause: BaseException, error: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PrivateAddressError("10.0.0.1"), "private-address"),
        (NameServerError("nobody"), "dns-unanswered"),
        (socket.gaierror("unknown"), "dns"),
        (UnicodeError("no name"), "dns"),
        (TimeoutError(), "timeout-read"),
        (ConnectionRefusedError(), "refused"),
        (ConnectionResetError(), "reset"),
        (OSError("something else"), "connection"),
        (OSError(errno.EMFILE, "too many open files"), OPEN_FILES),
        (caused_by(OSError(errno.EMFILE, "too many"), ConnectionRefusedError()), OPEN_FILES),
        (caused_by(PrivateAddressError("10.0.0.1"), OSError("wrapped")), "private-address"),
    ],
)
def test_most_telling_exception_of_the_chain_decides(error: BaseException, reason: str) -> None:
    assert reason_of(error) == reason


def test_trouble_with_tls_is_told_as_such() -> None:
    assert reason_of(caused_by(ssl.SSLError("handshake"), OSError("wrapped"))).startswith("tls")


def test_circle_of_causes_ends() -> None:
    first, second = OSError("a"), OSError("b")
    first.__context__, second.__context__ = second, first
    assert reason_of(first, otherwise="connect") == "connect"
