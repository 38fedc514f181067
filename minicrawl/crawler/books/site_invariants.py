"""Check a store's counted links between sites against the links of its pages."""

from collections.abc import Iterator

import numpy as np

from minicrawl.crawler.books.stored_births import jumps_to_sites
from minicrawl.opic.sites.graph import SiteGraph, Voices
from minicrawl.store.reader import Store


def wrong_voices(store: Store) -> Iterator[str]:
    """One sentence per page whose links from another site are miscounted. Reads all links; those to missing pages
    count for nobody."""
    if not jumps_to_sites(store):
        return
    of_host = store.site_table.of_hosts()
    site = np.concatenate([of_host[pages.host] for pages in store.page_table.columns()])
    graph = SiteGraph()
    for block in store.link_table.blocks():
        graph.add_links(site, block.sources, block.indptr, block.targets)
    counted = store.site_table.voices()
    counted = counted[counted[:, 1] > 0]  # other partitions count their own
    graph.add(Voices(counted[:, 0], counted[:, 1], -counted[:, 2]))
    names = {row.id: row.name for row in store.site_table.all()}
    for page, number, links in zip(*(column.tolist() for column in graph.voices()), strict=True):
        more = "more" if links > 0 else "fewer"
        yield f"{abs(links)} {more} links of {names.get(number, f'site {number}')} lead to page {page} than are counted"
