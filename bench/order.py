"""What an order of crawling is good for: how much of all importance the first answers held.

    python bench/order.py WHOLE_STORE STORE [STORE ...]

The first store is taken for the whole web. Prints, per other store, the share of the whole web's importance that was
fetched with its first 10 and 30 % of answers. How exact the rankings themselves are is what 'minicrawl verify' says.
"""

import sys

import numpy as np

from minicrawl.store.reader import open_store


def report(path: str, whole: str) -> None:
    with open_store(whole) as store:
        importance = {page.url: page.importance for page in store.pages()}
        answers = len(store.page_table.fetch_order())
    with open_store(path) as store:
        masses = np.cumsum([importance.get(url, 0.0) for url in store.page_table.fetch_order()])
    held = [f"{share:.0%}: {masses[round(share * answers) - 1]:.4f}" for share in (0.1, 0.3)]
    print(f"{path}: importance fetched after " + ", ".join(held))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python bench/order.py WHOLE_STORE STORE [STORE ...]")
    for other in sys.argv[2:]:
        report(other, sys.argv[1])
