"""The values of a script of JSON-LD.

It is JSON; what is wrong with it in ways that leave no doubt is mended: line breaks in texts, comments, CDATA, trailing
commas, needless escapes, several values, text around them, and scripts escaped as HTML. Everything else that is not
JSON is left out, and texts keep their entities (JSON-LD 1.1, 7.3).
"""

import html
import json
import math
import re

_TEXT = r'"(?:[^"\\]++|\\.)*+"?'
# A comment without end goes to the end: so no character is looked at twice.
_NOISE = re.compile(
    rf"{_TEXT}|(?:(?://|/\*)[ \t]*+)?<!\[CDATA\[(?:\s*\*/)?|//[^\n]*+|/\*(?:.*?\*/|.*)|<!--(?:.*?-->|.*)", re.DOTALL
)
_HIDDEN = re.compile(rf"{_TEXT}|<!--|-->", re.DOTALL)
_TRAILING = re.compile(rf"{_TEXT}|,(?=\s*+[\]}}])", re.DOTALL)
_ESCAPE = re.compile(r'(\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))|\\')
_START = re.compile(r"[\[{]")


def json_ld_values(text: str) -> list[object]:
    """The values of a script. Raises RecursionError if they are nested too deeply to parse."""
    try:
        return [_DECODER.decode(text)]
    except ValueError:
        mended = (_without(_NOISE, text), _without(_HIDDEN, text), html.unescape(text))
        return next((values for each in mended if (values := _values(_without(_TRAILING, each)))), [])


def _values(text: str) -> list[object]:
    """The values one after the other, up to the first that is not JSON."""
    found, at = [], 0
    while (start := _START.search(text, at)) is not None:
        try:
            value, at = _DECODER.raw_decode(text, start.start())
        except ValueError:
            break
        found.append(value)
    return found


def _without(noise: re.Pattern[str], text: str) -> str:
    """A script without noise; its texts without needless escapes."""
    return noise.sub(lambda found: _ESCAPE.sub(r"\1", found[0]) if found[0][0] == '"' else " ", text)


def _finite(number: str) -> float | None:
    """A number; None if it is too large for one."""
    read = float(number)
    return read if math.isfinite(read) else None


_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_float=_finite)
