"""Which part of the web is this partition's, where a crawl has several."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """`here`: the number of this partition. `home_of`: that of the partition which has a normalised URL."""

    here: int
    home_of: Callable[[str], int]
