"""Reason codes of failed requests, by exception.

An exception in code that parses a response means a bug or a lack of memory. It fails that response alone, with the
reason "parser-failed"; the traceback is logged with the URL, and the crawl goes on.
"""

import socket
import ssl

from minicrawl import log
from minicrawl.crawler.net.addresses import NameServerError, PrivateAddressError
from minicrawl.crawler.net.open_files import OPEN_FILES, OWN_TROUBLE
from minicrawl.crawler.net.tls import tls_reason
from minicrawl.model import Fetched

Reasons = tuple[tuple[tuple[type[BaseException], ...], str], ...]
"""Reason codes by exception class, the most specific first."""

OF_THE_SYSTEM: Reasons = (
    ((PrivateAddressError,), "private-address"),
    ((NameServerError,), "dns-unanswered"),
    ((socket.gaierror, UnicodeError), "dns"),
    ((TimeoutError,), "timeout-read"),
    ((ConnectionRefusedError,), "refused"),
    ((ConnectionResetError,), "reset"),
)


def chain_of(error: BaseException) -> list[BaseException]:
    """An exception and its causes."""
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and len(chain) < 8:
        chain.append(cause)
    return chain


def reason_of(error: BaseException, reasons: Reasons = OF_THE_SYSTEM, otherwise: str = "connection") -> str:
    """The reason code of an exception, by the most specific one in its chain of causes."""
    chain = chain_of(error)
    if any(isinstance(link, OSError) and link.errno in OWN_TROUBLE for link in chain):
        return OPEN_FILES
    failed = (link for link in chain if isinstance(link, ssl.SSLError) and not isinstance(link, ssl.SSLWantReadError))
    handshake = next(failed, None)
    if handshake is not None:
        return tls_reason(handshake)
    for kinds, reason in reasons:
        if any(isinstance(link, kinds) for link in chain):
            return reason
    return otherwise


PARSER_FAILED = "parser-failed"


def parser_failed(url: str, error: Exception) -> str:
    """Log the error, and return its reason code."""
    log.event("parser-failed", url=url, error=error)
    return PARSER_FAILED


def unread(fetched: Fetched, error: Exception) -> Fetched:
    """The response without its body, with the reason "parser-failed"."""
    return fetched._replace(body=b"", reason=parser_failed(fetched.url, error))
