"""Results of checking seeds: whether each is reachable and allowed, and where it redirects."""

from collections.abc import Sequence
from dataclasses import dataclass

from minicrawl.crawler.admission.seeds import Seeds, in_plain_http, spelled
from minicrawl.crawler.outcomes.reasons import meaning
from minicrawl.crawler.robots.rules import restored
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.model import READ, State
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import Store

ALONE = {"max_depth": 0, "sitemaps": False, "traps": False, "extract_rule": ()}
"""Settings of a crawl of the seeds and their redirects alone."""


@dataclass(frozen=True)
class CheckedSeed:
    """A seed. `is_there`: True if a page can be read at `ends_at`, after `redirects` redirects. `reason`: a code.
    `meaning`: the reason in words, or the deciding line of robots.txt."""

    seed: str
    is_there: bool
    ends_at: str
    redirects: int
    status: int | None
    content_type: str | None
    title: str | None
    reason: str
    meaning: str | None


def checked_seeds(store: Store, seeds: Seeds) -> list[CheckedSeed]:
    """The results for seeds, in their order, from the store of a crawl of them alone."""
    settings = CrawlSettings.from_json(store.settings)
    known = spelled(seeds, store.page_table.find, keep_parameters=settings.keep_parameters)
    return [_checked(store, url, seeds, settings.user_agent) for url in known.urls]


def _checked(store: Store, seed: str, seeds: Seeds, agent: str) -> CheckedSeed:
    chain = _chain(store, seed)
    if seed in seeds.guessed and not _is_read(store, chain):  # https was a guess
        chain = _chain(store, in_plain_http(seed)) or chain
    if not chain:
        return CheckedSeed(seed, False, seed, 0, None, None, None, "unknown", "it was not asked for")
    facts, url = store.page_table.facts(chain[-1]), store.page_table.url(chain[-1])
    reason, state = str(facts["reason"]), str(facts["state"])
    return CheckedSeed(
        seed=seed,
        is_there=state in READ,
        ends_at=url,
        redirects=len(chain) - 1,
        status=facts["status"],
        content_type=facts["content_type"],
        title=facts["title"],
        reason=reason,
        meaning=_robots_line(store, url, agent) if state == State.DISALLOWED else meaning(reason, state),
    )


def _chain(store: Store, url: str) -> list[int]:
    """The page of a URL and its chain of alias targets; empty if it is not known."""
    chain: list[int] = list(store.page_table.find([url]).values())
    while chain and store.page_table.state(chain[-1]) == State.ALIAS:
        further = [page for page in store.link_table.outlinks(chain[-1]).tolist() if page not in chain]
        if not further:
            break
        chain.append(further[0])
    return chain


def _is_read(store: Store, chain: Sequence[int]) -> bool:
    return bool(chain) and store.page_table.state(chain[-1]) in READ


def _robots_line(store: Store, url: str, agent: str) -> str | None:
    """The line of robots.txt that forbids a URL."""
    row = store.hosts.robots(origin_of(url))
    rules = None if row is None else restored(row).rules
    return None if rules is None else rules.deciding_line(agent, url)
