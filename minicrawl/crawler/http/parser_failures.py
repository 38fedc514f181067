"""What becomes of an answer over which a part of ours fails that reads what the web sends.

Such a part has a bug, or memory has run out; either is that answer's trouble alone. Its reason is "parser-failed", the
traceback goes to the log with the URL, and the crawl goes on.
"""

from dataclasses import replace

from minicrawl import log
from minicrawl.model import Fetched

PARSER_FAILED = "parser-failed"


def parser_failed(url: str, error: Exception) -> str:
    """The reason of what came from `url` and could not be read. Logs why."""
    log.parser_failed(url=url, error=error)
    return PARSER_FAILED


def unread(fetched: Fetched, error: Exception) -> Fetched:
    """The same answer as one that could not be read."""
    return replace(fetched, body=b"", reason=parser_failed(fetched.url, error))
