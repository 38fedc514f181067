"""The partition's part of the web, in a crawl with several."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """`here`: the number of this partition. `home_of`: that of the partition that has a normalised URL."""

    here: int
    home_of: Callable[[str], int]
