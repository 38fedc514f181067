"""ETag and Last-Modified of an answer, and their packed form in the store.

A byte of flags, the date, the ETag. A date in the standard form (RFC 9110 5.6.7) takes 4 bytes of Unix seconds. In a
quoted ETag the leading hexadecimal digits and hyphens, with which most servers write times, sizes and digests, are one
number in base 17. All else is text, a byte a character.
"""

import re
from datetime import date
from functools import lru_cache
from typing import NamedTuple, Self

from minicrawl.model import Fetched

_DATE, _DATE_TEXT, _ETAG, _QUOTED, _WEAK, _NUMBER, _REST = (1 << bit for bit in range(7))
"""Flags. Texts before other parts have their length before them: 2 bytes for a date, 1 for a number."""
_DIGITS = re.compile("[0-9a-f-]{4,64}")
_BASE = "0123456789abcdef-"
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SIXTIETHS = {f"{number:02}": number for number in range(60)}
_HOURS = {f"{number:02}": number * 3600 for number in range(24)}
_DAY = 86_400
_EPOCH = date(1970, 1, 1).toordinal()


class Validators(NamedTuple):
    """Validators of an answer as they came, a character for each byte."""

    etag: str | None = None
    last_modified: str | None = None

    @classmethod
    def of(cls, fetched: Fetched) -> Self:
        """Those of a complete page; no other answer has any."""
        if fetched.status != 200 or fetched.truncated:
            return cls()
        return cls(fetched.etag or None, fetched.last_modified or None)

    def packed(self) -> bytes | None:
        """None without validators. A character that is no byte drops both."""
        if self.etag is None and self.last_modified is None:
            return None
        try:
            date_flag, date_bytes = (0, b"") if self.last_modified is None else _packed_date(self.last_modified)
            etag_flags, etag_bytes = (0, b"") if self.etag is None else _packed_etag(self.etag)
        except UnicodeEncodeError:
            return None
        return bytes((date_flag | etag_flags,)) + date_bytes + etag_bytes


def unpacked(packed: bytes | None) -> Validators:
    """The validators of which `packed` was made."""
    if packed is None:
        return Validators()
    flags, at = packed[0], 1
    last_modified = None
    if flags & _DATE:
        last_modified, at = _date(int.from_bytes(packed[1:5])), 5
    elif flags & _DATE_TEXT:
        at = 3 + int.from_bytes(packed[1:3])
        last_modified = packed[3:at].decode("latin-1")
    return Validators(_etag(flags, packed[at:]) if flags & _ETAG else None, last_modified)


def _packed_etag(etag: str) -> tuple[int, bytes]:
    start = 3 if etag.startswith('W/"') else 1
    if etag[start - 1 : start] != '"' or etag[-1] != '"' or len(etag) <= start:
        return _ETAG, etag.encode("latin-1")
    flags = _ETAG | _QUOTED | (_WEAK if start == 3 else 0)
    digits = _DIGITS.match(etag, start)
    if digits is None:
        return flags, etag[start:-1].encode("latin-1")
    number = int("1" + digits[0].replace("-", "g"), 17)
    packed = number.to_bytes((number.bit_length() + 7) // 8)
    end = digits.end()
    if end == len(etag) - 1:
        return flags | _NUMBER, packed
    return flags | _NUMBER | _REST, bytes((len(packed),)) + packed + etag[end:-1].encode("latin-1")


def _etag(flags: int, packed: bytes) -> str:
    text = ""
    if flags & _NUMBER:
        start, end = (1, 1 + packed[0]) if flags & _REST else (0, len(packed))
        number, packed = int.from_bytes(packed[start:end]), packed[end:]
        while number > 1:
            number, digit = divmod(number, 17)
            text = _BASE[digit] + text
    text += packed.decode("latin-1")
    if flags & _QUOTED:
        text = f'"{text}"'
    return f"W/{text}" if flags & _WEAK else text


def _packed_date(text: str) -> tuple[int, bytes]:
    if len(text) == 29 and text[19] == text[22] == ":" and text[25:] == " GMT":
        try:
            time = _HOURS[text[17:19]] + 60 * _SIXTIETHS[text[20:22]] + _SIXTIETHS[text[23:25]]
            return _DATE, (_day(text[:17]) * _DAY + time).to_bytes(4)
        except (KeyError, ValueError, OverflowError):
            pass
    encoded = text.encode("latin-1")
    return _DATE_TEXT, len(encoded).to_bytes(2) + encoded


@lru_cache(maxsize=4096)
def _day(text: str) -> int:
    """Days since 1970 of the first part of a date, exactly as in "Sat, 21 Nov 2026 ", else ValueError."""
    day = date(int(text[12:16]), 1 + _MONTHS.index(text[8:11]), int(text[5:7]))
    if _written(day) != text:
        raise ValueError(text)
    return day.toordinal() - _EPOCH


def _date(seconds: int) -> str:
    days, rest = divmod(seconds, _DAY)
    hours, rest = divmod(rest, 3600)
    return f"{_written(date.fromordinal(days + _EPOCH))}{hours:02}:{rest // 60:02}:{rest % 60:02} GMT"


def _written(day: date) -> str:
    return f"{_DAYS[day.weekday()]}, {day.day:02} {_MONTHS[day.month - 1]} {day.year:04} "
