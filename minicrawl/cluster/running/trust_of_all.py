"""Trust of the sites of a crawl in partitions: worked out in one place, of the links of all sites.

A site is whole in one partition, and so are the links that it makes. Each partition tells those of its sites, with the
names of sites elsewhere that they lead to, and is told what trust the sites have that it knows.
"""

from collections.abc import Sequence

import numpy as np

from minicrawl.control.messages import Message
from minicrawl.crawler.absorb import Absorber
from minicrawl.opic.sites.graph import SiteLinks, SitePairs


def site_links(absorber: Absorber) -> Message:
    """What a partition tells."""
    assert absorber.sites is not None, "walkers jump to sites"
    links = absorber.sites.links()
    columns = {name: column.tolist() for name, column in links.pairs._asdict().items()}
    return {"names": links.names, "roots": np.flatnonzero(links.roots).tolist(), **columns}


def shared_out(trust: Sequence[float], absorber: Absorber) -> bool:
    """Let a partition share births out by the trust that it is told of its sites."""
    absorber.share_births_out(np.array(trust, dtype=np.float64))
    return True


def trust_of_all(each: Sequence[Message]) -> list[list[float]]:
    """What each partition is told: the trust of its sites, in their order. each: what they have told, see above."""
    numbers: dict[str, int] = {}
    known = [np.array([numbers.setdefault(name, len(numbers)) for name in one["names"]], np.int64) for one in each]
    roots = np.zeros(len(numbers), dtype=np.bool_)
    for sites, one in zip(known, each, strict=True):
        roots[sites[one["roots"]]] = True
    source, target = (
        np.concatenate([sites[np.array(one[end], np.int64)] for sites, one in zip(known, each, strict=True)])
        for end in ("source", "target")
    )
    links = np.concatenate([np.array(one["links"], np.int64) for one in each])
    trust = SiteLinks(list(numbers), roots, SitePairs(source, target, links)).trust()
    return [trust[sites].tolist() for sites in known]
