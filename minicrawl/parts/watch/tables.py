"""The tables of a list of watched pages, in a store that `minicrawl watch` has made."""

from typing import Annotated, NamedTuple

from minicrawl.store.declaration import Time, table

VIEW = "a packed View of view.py"


class WatchedRow(NamedTuple):
    """A page of the list."""

    url: Annotated[str, "as in the list, normalised"]
    view: Annotated[bytes, f"what it is compared to: {VIEW}; empty: nothing yet"]
    memory: Annotated[bytes, "what is known of its changes: JSON of Memory of comparing.py"]
    state: Annotated[str, "as told last: '', lost, or a reason why it could not be checked"]
    instead: Annotated[bytes, f"the page that stood in its place when that was told: {VIEW}"]
    changed_at: Annotated[Time, "a change was told last; 0: none"]


class HostRow(NamedTuple):
    """A host of several pages."""

    host: Annotated[str, "politeness_key of the pages"]
    view: Annotated[bytes, f"of one of them, by which those of all are packed: {VIEW}"]


class AnswerRow(NamedTuple):
    """An answer of the round under way."""

    url: Annotated[str, "watched.url"]
    number: Annotated[int, "of the answer in the round, from 0"]
    view: Annotated[bytes, f"{VIEW}; empty: it says what the one before it says, or what is stored"]


class ToldRow(NamedTuple):
    """A change that was told."""

    id: Annotated[int, "ascending"]
    round: Annotated[int, "number of the round"]
    at: Time
    url: Annotated[str, "watched.url; of a host, its name"]
    what: Annotated[str, "changed, lost, moved, replaced, back, unreadable, readable, selector, habit"]
    said: Annotated[str, "JSON: title, kinds, removed, added, why, address, pages"]
    sends: Annotated[bool, "it makes a message; the others stand in the next one"]


table("watched", "pages that are watched", WatchedRow, keys="url", are_large=True)
table("watched_hosts", "hosts of watched pages", HostRow, keys="host")
table("watch_answers", "answers of the round of checks under way", AnswerRow, keys="url number")
table("told", "changes of watched pages", ToldRow, keys="id")
