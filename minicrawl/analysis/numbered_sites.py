"""The sites or hosts of a store's pages, by number. Needs no SciPy."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.urls.keys import site_of
from minicrawl.store.reader import Store

DIVISIONS: dict[str, Callable[[str], str]] = {"site": site_of, "host": str}
"""Functions from an authority to its site or host, by kind."""


def numbered_sites(
    store: Store, hosts: npt.NDArray[np.int64], site_of_host: Callable[[str], str]
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Names of the sites of pages, and the number of each page's site. hosts: hosts.id of each page."""
    names = {host.id: site_of_host(host.name) for host in store.hosts.all()}
    numbers: dict[str, int] = {}
    used, host = np.unique(hosts, return_inverse=True)
    number = [numbers.setdefault(names.get(id_, f"host {id_}"), len(numbers)) for id_ in used.tolist()]
    return list(numbers), np.array(number, dtype=np.int64)[host]
