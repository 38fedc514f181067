"""Where walkers jump to: as in the crawl, to the pages of one person, or to what is new."""

from pathlib import Path

import numpy as np

from minicrawl.analysis.folded_aliases import FloatArray, FoldedPages
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.errors import SettingError
from minicrawl.settings.values import parse_duration
from minicrawl.store.reader import Store

_RECENT = "recent:"


def jump_of(given: str | None, store: Store, folded: FoldedPages) -> FloatArray:
    """The preference that --jump FILE or recent:TIME gives; None: as in the crawl. Raises SettingError."""
    if given is None:
        return folded.jump
    if given.startswith(_RECENT):
        half_life = parse_duration(given.removeprefix(_RECENT))
        if not half_life > 0:
            raise SettingError(f"--jump {given}: nothing is as new as that; say a time such as 30d")
        return recent_jump(half_life, store, folded)
    return _of_file(given, store, folded)


def recent_jump(half_life: float, store: Store, folded: FoldedPages) -> FloatArray:
    """A walker jumps to a page half as often for each `half_life` seconds since it changed.

        jump[page] = 2 ** -((newest - changed[page]) / half_life)

    changed: when a page changed last, as far as the crawl has seen; else when it was fetched last. Pages that were
    never fetched get none. newest: of all pages, so that the values do not depend on the time of day.
    """
    changed = np.full(folded.size, -np.inf)
    for number, page in enumerate(store.ranks.numbered()):
        if page.fetched_at is not None:
            changed[number] = page.fetched_at
    for number, at in store.refreshes.changed_at().items():
        changed[number] = at
    newness = np.exp2((changed - changed.max()) / half_life)
    jump: FloatArray = np.zeros(folded.size)
    np.add.at(jump, folded.stands_for, newness)
    jump[folded.jump == 0] = 0.0
    return jump


def _of_file(given: str, store: Store, folded: FoldedPages) -> FloatArray:
    """A URL a line, with a weight behind it or not; pages that the crawl does not know are left out."""
    if not Path(given).is_file():
        raise SettingError(f"--jump takes a file of URLs with weights, or recent:TIME; there is no file {given!r}")
    weights: dict[str, float] = {}
    for number, line in enumerate(Path(given).read_text("utf-8", "replace").splitlines(), start=1):
        url, *weight = line.split()[:2] or [""]
        if not url or url.startswith("#"):
            continue
        try:
            value = float(weight[0]) if weight else 1.0
        except ValueError:
            value = -1.0
        if not 0.0 <= value < np.inf:
            raise SettingError(f"{given}, line {number}: a weight is a number from 0 on, not {weight[0]!r}")
        weights[normalise(url) or url] = value
    jump = np.zeros(folded.size)
    for url, page in store.page_table.find(list(weights)).items():
        jump[folded.stands_for[page]] += weights[url]
    if not jump.any():
        raise SettingError(f"--jump: no page of {given} that weighs anything is known in {store.path}")
    return jump
