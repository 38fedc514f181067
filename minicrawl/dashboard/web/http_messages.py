"""Requests and answers of HTTP/1.1, as far as a page of ours and Prometheus need them: no chunks, no ranges."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

LARGEST_HEAD, LARGEST_BODY = 16 * 1024, 256 * 1024

# Whatever is served: the browser asks nobody but us, runs no script but ours, and shows us in no frame. Text of the web
# can become neither markup nor script, as no script of ours may write markup either ('trusted-types' names no policy).
SAFETY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class BadRequestError(Exception):
    """A request that cannot be read. `status`: of the answer to it."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """`query`: the first value of each name. `headers`: by name in small letters."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Answer:
    """`headers`: those beside SAFETY, the length and the type."""

    status: int
    body: bytes = b""
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


def request_of(head: bytes) -> tuple[Request, int]:
    """What the head of a request says, and how many bytes of body come behind it. Raises BadRequestError."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0") or not words[1].startswith("/"):
        raise BadRequestError(400, "this is no request of HTTP/1.1")
    headers: dict[str, str] = {}
    for line in filter(None, lines):
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip() or name.lower() in headers:
            raise BadRequestError(400, "a header field is wrong, or is there more than once")
        headers[name.lower()] = value.strip()
    if "transfer-encoding" in headers:
        raise BadRequestError(411, "a body is to come in one piece, with its Content-Length")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise BadRequestError(400, "Content-Length is a number")
    if len(length) > 9 or int(length) > LARGEST_BODY:
        raise BadRequestError(413, f"a body has {LARGEST_BODY:,} bytes at most")
    try:
        url = urlsplit(words[1])
        query = parse_qsl(url.query, keep_blank_values=True, max_num_fields=50)
    except ValueError as error:
        raise BadRequestError(400, "this is no path") from error
    first_of_each = dict(reversed(query))
    return Request(words[0], url.path, first_of_each, headers), int(length)


def json_answer(value: object, status: int = 200) -> Answer:
    """A value as JSON, in ASCII, so that nothing in it is half a character. What is no finite number is null."""
    try:
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(json.loads(json.dumps(value))), separators=(",", ":"))
    return Answer(status, text.encode("ascii"))


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def refused(status: int, sentence: str) -> Answer:
    """An answer that says why nothing was done."""
    return json_answer({"failed": sentence}, status)


def bytes_of(answer: Answer, *, stays_open: bool, with_body: bool = True) -> bytes:
    """An answer as it goes over the line."""
    reason = HTTPStatus(answer.status).phrase
    fields = {
        **SAFETY,
        **answer.headers,
        "Content-Type": f"{answer.media_type}; charset=utf-8",
        "Content-Length": str(len(answer.body)),
        "Connection": "keep-alive" if stays_open else "close",
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {answer.status} {reason}\r\n{head}\r\n".encode("ascii") + (answer.body if with_body else b"")
