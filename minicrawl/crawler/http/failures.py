"""The reason code of what a request failed by."""

import socket
import ssl

from minicrawl.crawler.net.addresses import PrivateAddressError
from minicrawl.crawler.net.dns import NameServerError
from minicrawl.crawler.net.open_files import OPEN_FILES, OWN_TROUBLE
from minicrawl.crawler.net.tls import tls_reason

Reasons = tuple[tuple[tuple[type[BaseException], ...], str], ...]
"""Reason codes by kind of exception, the most telling first."""

OF_THE_SYSTEM: Reasons = (
    ((PrivateAddressError,), "private-address"),
    ((NameServerError,), "dns-unanswered"),
    ((socket.gaierror, UnicodeError), "dns"),
    ((TimeoutError,), "timeout-read"),
    ((ConnectionRefusedError,), "refused"),
    ((ConnectionResetError,), "reset"),
)


def reason_of(error: BaseException, reasons: Reasons = OF_THE_SYSTEM, otherwise: str = "connection") -> str:
    """The reason code of an exception, by the most telling one in its chain of causes."""
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and len(chain) < 8:
        chain.append(cause)
    if any(isinstance(link, OSError) and link.errno in OWN_TROUBLE for link in chain):
        return OPEN_FILES
    handshake = next((link for link in chain if isinstance(link, ssl.SSLError)), None)
    if handshake is not None:
        return tls_reason(handshake)
    for kinds, reason in reasons:
        if any(isinstance(link, kinds) for link in chain):
            return reason
    return otherwise
