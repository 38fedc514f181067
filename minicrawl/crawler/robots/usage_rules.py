"""The rules of a group of robots.txt on the use of what may be fetched: Content-Usage (draft-ietf-aipref-attach,
August 2026), and Content-Signal alike.

A rule has a path, which may be left out, and a statement. Of each vocabulary the rule with the longest matching path
counts, as for access; rules with equal paths are combined, the most restrictive verdict holds. A statement that makes
no sense says nothing, but its path counts.
"""

from collections.abc import Iterable

from minicrawl.crawler.robots.matching import Pattern
from minicrawl.crawler.robots.preferences import Preferences, combined, read

UsageLine = tuple[str, bytes]
"""The vocabulary, and the value of the line as written."""


def parted(value: bytes) -> tuple[bytes, bytes]:
    """The path of a rule, empty if it has none, and its statement."""
    if not value.startswith(b"/"):
        return b"", value
    path, *statement = value.split(maxsplit=1)
    return path, statement[0] if statement else b""


class UsageRules:
    """The rules of a group, to be asked for many URLs."""

    def __init__(self, lines: Iterable[UsageLine]) -> None:
        self._rules: list[tuple[str, Pattern, str, Preferences]] = []
        for name, value in lines:
            path, statement = parted(value)
            says = read(name, statement.decode("utf-8", "replace"))
            self._rules.append((name, Pattern.parse(path), f"{name}: {value.decode('utf-8', 'replace')}", says))

    def deciding(self, octets: str) -> list[tuple[str, Preferences]]:
        """The lines that count for a URL by its octets, as written, and their verdicts."""
        found = [rule for rule in self._rules if rule[1].matches(octets)]
        longest: dict[str, int] = {}
        for name, pattern, _, _ in found:
            longest[name] = max(longest.get(name, 0), pattern.length)
        return [(text, says) for name, pattern, text, says in found if pattern.length == longest[name]]

    def preferences(self, octets: str) -> Preferences:
        """The verdicts on a URL by its octets."""
        return combined(says for _, says in self.deciding(octets))
