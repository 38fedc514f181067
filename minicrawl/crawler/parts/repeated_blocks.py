"""Blocks that the pages of a host repeat, learned from pages whose blocks are hashed."""

from collections.abc import Iterator
from typing import Self

from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import PageRequest
from minicrawl.store.texts.repeated_blocks import RepeatedBlocks
from minicrawl.store.writer import Writer

MOST_HOSTS = 300
"""Pictures that are kept in memory when they have been saved, of the hosts used last: 48 kB each."""
_PART = 4


class HostPictures(Part):
    """The pictures of hosts.

    A picture is saved once a quarter of the pages that it knows are new, and at the end of a run: so that of a large
    host is written for every 16th page, and what a killed run has learned since is lost.
    """

    def __init__(self, writer: Writer, frontier: Frontier, *, learns: bool) -> None:
        """learns: have blocks hashed that nothing else asks for."""
        self._load = writer.texts.host_blocks
        self._frontier = frontier
        self._of: dict[int, RepeatedBlocks] = {}
        self._learns, self._is_settled = learns, False

    @classmethod
    def of(cls, opening: Opening) -> Self:
        return cls(opening.state.writer, opening.state.frontier, learns=opening.settings.keeps_text)

    def picture(self, page: int) -> RepeatedBlocks:
        """The picture of a page's host."""
        host = self._frontier.host(page).id
        picture = self._of.pop(host, None) or RepeatedBlocks(self._load(host))
        self._of[host] = picture  # the last one now
        return picture

    def request(self, page: int, asked: PageRequest) -> PageRequest:
        if not self._learns:
            return asked
        known = self._of.get(self._frontier.host(page).id)  # only looked at, as a commit may be under way
        return asked._replace(blocks=True) if known is None or known.is_due(page) else asked

    def on_turn(self, turn: Turn) -> None:
        if turn.parsed.blocks:
            self.picture(turn.page).note(turn.page, turn.parsed.blocks)

    def on_settled(self) -> None:
        self._is_settled = True

    def save(self, writer: Writer) -> None:
        writer.save_host_blocks(self._unsaved())
        for host in list(self._of)[:-MOST_HOSTS]:
            del self._of[host]

    def _unsaved(self) -> Iterator[tuple[int, bytes]]:
        """Hosts and packed pictures that are to be saved now."""
        kept = len(self._of) - MOST_HOSTS
        for number, (host, picture) in enumerate(self._of.items()):
            is_due = _PART * picture.noted >= picture.size
            if picture.noted and (is_due or self._is_settled or number < kept):
                yield host, picture.packed()
