"""What parts add to a process that fetches and reads."""

from msgspec import Struct, field

from minicrawl.sandbox.sandbox import Sandbox
from minicrawl.web.http.transport import Sign

Documents = Sandbox[bytes, float, tuple[bytes, bool]]
"""Makes HTML of a body in so many CPU seconds, and tells whether it is cut or damaged."""


class Equipment(Struct):
    """sign: signs each request. documents: what reads documents in other formats than HTML, by their media types."""

    sign: Sign | None = None
    documents: dict[str, Documents] = field(default_factory=dict)
