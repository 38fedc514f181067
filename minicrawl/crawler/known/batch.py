"""Results of turns since the last commit, as the rows of the next one."""

from dataclasses import dataclass, field

from minicrawl.store.hosts import RobotsRow
from minicrawl.store.link_table import Links
from minicrawl.store.pages import NewPage, Restated, Retry, Turn
from minicrawl.store.writer import Writer


@dataclass
class Batch:
    """Rows by page; `new` in the order of discovery. Saving clears them.

    `unanswered`: pages whose last answer is dropped, as they wait for their turn again.
    """

    new: list[NewPage] = field(default_factory=list)
    turns: dict[int, Turn] = field(default_factory=dict)
    retries: dict[int, Retry] = field(default_factory=dict)
    restated: dict[int, Restated] = field(default_factory=dict)
    links: dict[int, Links] = field(default_factory=dict)
    unanswered: set[int] = field(default_factory=set)
    robots: list[RobotsRow] = field(default_factory=list)
    turns_taken: int = 0
    requests_ended: int = 0

    def save(self, writer: Writer) -> None:
        """Write the results of turns; the new pages themselves must be in the store."""
        writer.page_rows.save_retries(self.retries.values())
        writer.page_rows.forget_answers(self.unanswered)
        writer.page_rows.save_turns(list(self.turns.values()))
        writer.page_rows.save_states(self.restated.values())
        writer.save_links(self.links.values())
        writer.put(RobotsRow, self.robots)
        for rows in (self.new, self.turns, self.retries, self.restated, self.links):
            rows.clear()
        self.unanswered.clear()
        self.robots.clear()
        self.turns_taken = self.requests_ended = 0
