"""How much of all importance the partitions of a crawl have read, by what each of them says."""

from collections.abc import Mapping
from typing import NamedTuple

from minicrawl.crawler.sharing.outbox import Carried
from minicrawl.opic.coverage import CoverageSums, bound_of_all


class Covered(NamedTuple):
    """What a partition says as of one of its commits. carried: by the number of the other partition."""

    sums: CoverageSums
    carried: Mapping[int, Carried]


def covered_by_all(each: Mapping[int, Covered]) -> float:
    """The bound of coverage of all partitions, by number, of which each speaks of a moment of its own."""
    credits = debits = 0
    for source, sender in each.items():
        for home, sent in sender.carried.items():
            taken = each[home].carried.get(source, Carried())
            credits += max(sent.credit_sent - taken.credit_taken, 0)
            debits += max(sent.debit_sent - taken.debit_taken, 0)
    return bound_of_all([of.sums for of in each.values()], credits, debits)
