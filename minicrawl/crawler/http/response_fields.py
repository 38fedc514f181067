"""What the fields of an answer say of its body and its page."""

from collections.abc import Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cached_property

from minicrawl.crawler.http.content_type import declared_type, is_not_to_be_sniffed
from minicrawl.crawler.http.transport import Field

LONGEST_VALIDATOR = 1000
"""Characters; a longer validator is dropped, as we would have to send it again and again."""


class ResponseFields:
    """The fields of an answer, by name."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._values: dict[bytes, list[bytes]] = {}
        for name, value in fields:
            self._values.setdefault(name.lower(), []).append(value)

    def joined(self, name: bytes, divider: str = ", ") -> str | None:
        """The values of all fields of a name, given in lower case."""
        return divider.join(map(_text, self._values[name])) if name in self._values else None

    def each(self, name: bytes) -> tuple[str, ...]:
        """The value of every field of a name, given in lower case, a character for each byte."""
        return tuple(value.decode("latin-1") for value in self._values.get(name, ()))

    @cached_property
    def content_type(self) -> str | None:
        """What the body is said to be; None where that is left open."""
        content_type = declared_type(self.joined(b"content-type"))
        if content_type is None and is_not_to_be_sniffed(self.joined(b"x-content-type-options")):
            return "text/plain"
        return content_type

    @property
    def location(self) -> str | None:
        """Where an answer points to; None also where it says so twice and differently.

        A URL that is no UTF-8 is its bytes as they are, percent-encoded.
        """
        value = self._only(b"location")
        if value is None:
            return None
        try:
            return value.decode()
        except UnicodeDecodeError:
            return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in value)

    def validator(self, name: bytes) -> str | None:
        """The ETag or the Last-Modified, a character for each byte, so that it can be sent back as it came."""
        value = self._only(name)
        return value.decode("latin-1") if value and len(value) <= LONGEST_VALIDATOR else None

    def _only(self, name: bytes) -> bytes | None:
        """The value of all fields of a name, if it is the same in all."""
        values = self._values.get(name, ())
        return values[0] if values and values.count(values[0]) == len(values) else None


def http_date(text: str) -> float | None:
    """Unix seconds of a date in a field, in any of the three forms of RFC 9110 5.6.7; None for anything else."""
    try:
        date = parsedate_to_datetime(text)
        # C's asctime() names no time zone: all mean GMT.
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):  # no date, or one with numbers beyond any calendar
        return None


def shown(fields: Sequence[Field]) -> tuple[tuple[str, str], ...]:
    """Names, in lower case, and values of fields, in their order, as people read them."""
    return tuple((name.decode("latin-1").lower(), _text(value)) for name, value in fields)


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
