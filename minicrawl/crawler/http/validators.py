"""ETag and Last-Modified of an answer, and their form in the store: the two with a NUL between them."""

from typing import NamedTuple, Self

from minicrawl.model import Fetched


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
            return f"{self.etag or ''}\0{self.last_modified or ''}".encode("latin-1")
        except UnicodeEncodeError:
            return None


def unpacked(packed: bytes | None) -> Validators:
    """The validators of which `packed` was made."""
    etag, _, last_modified = (packed or b"").decode("latin-1").partition("\0")
    return Validators(etag or None, last_modified or None)
