"""A header that is sent beside those of every request, and who gets it."""

import re

from msgspec import Struct

from minicrawl.errors import SettingError

# Names of headers that say what a client takes or prefers. Any other may carry a secret: X-JWT, X-Access-Code ...
_PUBLIC_NAMES = {
    *("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "dnt", "from", "pragma"),
    *("priority", "referer", "save-data", "sec-gpc", "te", "upgrade-insecure-requests", "user-agent", "via"),
}
EVERYBODY = "*"
HOST = r"(?:https?://)?(?:\[[0-9a-f:.]+\]|[^\s=:/]+)(?::\d+)?"  # NAME, NAME:PORT or scheme://NAME[:PORT]


class Header(Struct, frozen=True):
    """A header of requests.

    `host`: its recipient, as NAME, NAME:PORT or scheme://NAME[:PORT], or `EVERYBODY`; None: the origins of the seeds.
    """

    name: str
    value: str
    host: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Header":
        """Read "Name: value", with "HOST=" or "*=" before it or not.

        Raises SettingError, without the text, which may be secret.
        """
        match = re.fullmatch(rf"(?:({HOST}|\*)=)?([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)", text, re.IGNORECASE | re.DOTALL)
        if match is None or not is_header_value(match[3]):
            raise SettingError("--header takes 'Name: value' in one line, not what was given")
        return cls(match[2], match[3].strip(), match[1])

    @property
    def is_secret(self) -> bool:
        """True if the header may carry a secret: it is not for everybody, nor known to be of no interest."""
        return self.host != EVERYBODY and self.name.lower() not in _PUBLIC_NAMES

    def __str__(self) -> str:
        """The header without its value, which may be secret."""
        return f"{self.host}={self.name}" if self.host else self.name


def is_header_value(value: str) -> bool:
    """True if a text is a valid header value (RFC 9110 5.5)."""
    return all(char == "\t" or " " <= char <= "~" or "\xa0" <= char <= "\xff" for char in value)
