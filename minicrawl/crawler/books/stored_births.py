"""The rule of birth cash of pages, as stored."""

import numpy as np

from minicrawl.opic.arrays import Pages
from minicrawl.opic.sites import Births, KnownBirths, SiteBirths
from minicrawl.settings import BY_SITES
from minicrawl.store.reader import Store

JUMP, SHARED_OUT = "jump", "shared_out"
"""Keys of `meta`: the jump of walkers, and the number of pages known when births were last shared out."""


def stored_births(store: Store, host_of: Pages) -> Births:
    """host_of: the host of every page of the store. Raises StoreError."""
    return _of_sites(store, host_of) if jumps_to_sites(store) else Births()


def read_births(store: Store) -> Births:
    """The same for reading commands. Raises StoreError."""
    return KnownBirths(store.site_table.births()) if jumps_to_sites(store) else Births()


def jumps_to_sites(store: Store) -> bool:
    """True if walkers of the store jump to sites by their trust, as of its last commit."""
    return store.meta(JUMP) == BY_SITES


def _of_sites(store: Store, host_of: Pages) -> SiteBirths:
    births = SiteBirths()
    births.grow(len(host_of))
    shared = min(int(store.meta(SHARED_OUT) or 0), len(host_of))
    births.site[:shared] = store.site_table.of_hosts()[host_of[:shared]]
    doors = store.site_table.doors()
    births.door[doors[:, 0]] = doors[:, 2]
    births.door[shared:] = 0
    sites = store.site_table.all()
    births.page_level = np.array([1, *(site.page_level for site in sites)], dtype=np.int64)
    births.door_level = np.array([0, *(site.door_level for site in sites)], dtype=np.int64)
    return births
