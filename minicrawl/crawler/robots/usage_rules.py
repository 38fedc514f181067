"""The rules of a group of robots.txt on the use of what may be fetched: Content-Usage (draft-ietf-aipref-attach,
August 2026), and Content-Signal alike.

A rule has a path, which may be left out, and a statement. Of each vocabulary the rule with the longest matching path
counts, as for access; rules with equal paths are combined, the most restrictive verdict holds. A statement that makes
no sense says nothing, but its path counts.
"""

from collections.abc import Iterable, Iterator

from minicrawl.crawler.robots.matching import Pattern, Rules
from minicrawl.crawler.robots.preferences import NOTHING, Preferences, Verdict, combined, read

UsageLine = tuple[str, bytes]
"""The vocabulary, and the value of the line as written."""
_ALL = b"/"
_VERDICTS = tuple(Verdict)


def parted(value: bytes) -> tuple[bytes, bytes]:
    """The path of a rule, empty if it has none, and its statement."""
    if not value.startswith(_ALL):
        return b"", value
    path, *statement = value.split(maxsplit=1)
    return path, statement[0] if statement else b""


class UsageRules:
    """The rules of a group, compiled to be asked for many URLs."""

    def __init__(self, lines: Iterable[UsageLine]) -> None:
        of_paths: dict[str, dict[bytes, Preferences]] = {}
        for name, value in lines:
            path, statement = parted(value)
            paths = of_paths.setdefault(name, {})
            paths[path] = combined((paths.get(path, NOTHING), _read(name, statement)))
        self._rules = [found for paths in of_paths.values() for found in _of_each_use(paths)]

    def preferences(self, octets: str) -> Preferences:
        """The verdicts on a URL by its octets."""
        found = list(NOTHING)
        for use, rules in self._rules:
            found[use] = max(found[use], _VERDICTS[rules.value(octets)])
        return Preferences(*found)


def _of_each_use(paths: dict[bytes, Preferences]) -> Iterator[tuple[int, Rules]]:
    """The rules of one vocabulary on each use of which it says something, by its place among the uses.

    Every URL matches "/", so that a rule without a path is one for "/".
    """
    without = paths.pop(b"", NOTHING)
    paths.setdefault(_ALL, without)
    for use in range(len(NOTHING)):
        if any(says[use] for says in paths.values()):
            yield use, Rules((path, says[use]) for path, says in paths.items())


def deciding(lines: Iterable[UsageLine], octets: str) -> Iterator[tuple[str, Preferences]]:
    """The lines that count for a URL, as written, and their verdicts. For people: tries every line."""
    longest: dict[str, int] = {}
    found: list[tuple[str, int, str, Preferences]] = []
    for name, value in lines:
        path, statement = parted(value)
        pattern = Pattern.parse(path)
        if pattern.matches(octets):
            longest[name] = max(longest.get(name, 0), pattern.length)
            found.append((name, pattern.length, _text(value), _read(name, statement)))
    return ((f"{name}: {text}", says) for name, length, text, says in found if length == longest[name])


def _read(name: str, statement: bytes) -> Preferences:
    return read(name, _text(statement))


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
