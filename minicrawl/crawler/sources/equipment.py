"""What parts add to a process that fetches and reads."""

from collections.abc import Callable

from msgspec import Struct, field

from minicrawl.sandbox.sandbox import Sandbox
from minicrawl.web.http.transport import Sign

Documents = Sandbox[bytes, float, tuple[bytes, bool]]
"""Makes HTML of a body in so many CPU seconds, and tells whether it is cut or damaged."""


class Equipment(Struct):
    """sign: signs each request. documents: what reads documents in other formats than HTML, by their media types.
    lines: of a body of any other Content-Type, where its changes are told."""

    sign: Sign | None = None
    lines: Callable[[bytes, str | None], tuple[str, ...]] = lambda body, content_type: ()
    documents: dict[str, Documents] = field(default_factory=dict)
