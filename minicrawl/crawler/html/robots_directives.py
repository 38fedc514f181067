"""What a page's robots directives allow: meta elements and the header X-Robots-Tag, read alike."""

from dataclasses import dataclass

_VALUED = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})


@dataclass(frozen=True, slots=True)
class Directives:
    """`follow`: whether the links of a page count; `index`: whether a search may show it; `archive`: whether a copy of
    what it says may be kept."""

    follow: bool = True
    index: bool = True
    archive: bool = True

    def and_(self, other: "Directives") -> "Directives":
        """What both allow."""
        return Directives(self.follow and other.follow, self.index and other.index, self.archive and other.archive)


def read_directives(directives: str, robot: str = "minicrawl") -> Directives:
    """What a list such as "noindex, nofollow" or "otherbot: none" allows.

    One list per line. A list behind another robot's name does not concern us.
    """
    words: set[str] = set()
    for line in directives.lower().splitlines():
        addressed = True
        for part in line.split(","):
            name, colon, value = part.partition(":")
            if colon and name.strip() not in _VALUED:
                addressed = name.strip() in (robot, "*")
                name = value
            if addressed:
                words.add(name.strip())
    return Directives(
        words.isdisjoint(("nofollow", "none")), words.isdisjoint(("noindex", "none")), "noarchive" not in words
    )
