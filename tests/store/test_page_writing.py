"""Pages as they are written: against a plain dictionary, after every one of many random steps."""

import random
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from support.sites import rows
from support.stored_pages import add_pages, answer

from minicrawl.store.pages import Fetch, Turn
from minicrawl.store.writer import Writer

STATES = [("fetched", "ok"), ("error", "dns"), ("error", "http-404"), ("gone", "http-410"), ("disallowed", "robots")]


@dataclass(frozen=True)
class Page:
    state: str = "waiting"
    reason: str = "seed"
    attempts: int = 0
    fetch: Fetch | None = None
    visited: bool = False


def kept(store: Path) -> dict[int, Page]:
    """What the tables say, joined by hand."""
    query = """
        SELECT pages.id, state, reason, attempts, visited, page, status, fetched_at, title
        FROM pages LEFT JOIN fetches ON fetches.id = fetch"""
    found = {}
    for number, state, reason, attempts, visited, owner, status, at, title in rows(store, query):
        assert owner in (None, number)
        fetch = None if owner is None else answer(title, status=status, at=at)
        found[number] = Page(state, reason, attempts, fetch, bool(visited))
    (counts,) = rows(store, "SELECT (SELECT count(*) FROM fetches), (SELECT count(fetch) FROM pages)")
    assert counts[0] == counts[1] == sum(page.fetch is not None for page in found.values())
    return found


def steps(rng: random.Random, writer: Writer, model: dict[int, Page], now: float) -> None:
    """One random step, in the store and in the model."""
    some = rng.sample(sorted(model), rng.randint(1, min(4, len(model))))
    match rng.randrange(4):
        case 0:
            first = len(model)
            add_pages(writer, [f"http://a.test/{first + more}" for more in range(3)], first=first)
            model.update({first + more: Page() for more in range(3)})
        case 1:
            turns = []
            for page in some:
                state, reason = rng.choice(STATES)
                fetch = answer(f"at {now}", status=rng.choice([200, 404]), at=now) if rng.random() < 0.7 else None
                turns.append(Turn(page, state, reason, 0, fetch))
                model[page] = Page(state, reason, 0, fetch, model[page].visited)
            with writer.transaction():
                writer.save_turns(turns)
        case 2:
            with writer.transaction():
                writer.save_retries(dict.fromkeys(some, (3, "timeout")))
            for page in some:
                before = model[page]
                model[page] = replace(before, attempts=3, reason=before.reason if before.visited else "timeout")
        case 3:
            with writer.transaction():
                writer.update("pages", ["state", "reason"], (("alias", "canonical", page) for page in some))
            model.update({page: replace(model[page], state="alias", reason="canonical") for page in some})


def test_pages_are_as_the_last_of_many_random_steps_left_them(tmp_path: Path) -> None:
    store, rng = tmp_path / "crawl.db", random.Random(7)
    model: dict[int, Page] = {}
    writer = Writer(store)
    add_pages(writer, ["http://a.test/0"])
    rows(store, "UPDATE pages SET visited = 1")  # of a page that had its turn, a failure is no reason any more
    model[0] = Page(visited=True)
    for step in range(150):
        steps(rng, writer, model, float(step))
        if step % 50 == 30:  # the next writer goes on with the numbers of answers
            writer.close()
            writer = Writer(store)
        if step % 10 == 9:
            assert kept(store) == model
            assert writer.page_table.counts() == Counter((page.state, page.reason) for page in model.values())
            assert writer.page_table.miscounted() == []
    assert writer.page_table.find([f"http://a.test/{page}" for page in model]) == {
        f"http://a.test/{page}": page for page in model
    }
    assert writer.soundness.integrity_errors() == []
    writer.close()
