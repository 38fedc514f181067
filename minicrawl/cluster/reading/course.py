"""How a crawl in partitions has gone on: what each has noted of its own course, added up.

Each notes points at times of its own. All are added up at those of the partition that has crawled longest; between two
of its points another one is taken to have gone on evenly.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from minicrawl.model import CoursePoint

FloatArray = npt.NDArray[np.float64]
_ADDED_UP = ("fetched", "bytes", "read", "given_up")


def course_of_all(each: Sequence[Sequence[CoursePoint]]) -> list[Mapping[str, float]]:
    """Points of all together: `seconds` of crawling, `at` (Unix seconds), and what is added up.

    Known pages are not, as each partition has URLs of others among its own; nor is coverage.
    """
    some = [points for points in each if points]
    if not some:
        return []
    longest = max(some, key=lambda points: points[-1].seconds)
    at = [point.at for point in longest]
    at[-1] = max(points[-1].at for points in some)  # by then all have done all that they have
    columns = {name: np.sum([_along(points, name, at) for points in some], axis=0) for name in _ADDED_UP}
    return [
        {"seconds": point.seconds, "at": moment, **{name: round(columns[name][row]) for name in _ADDED_UP}}
        for row, (point, moment) in enumerate(zip(longest, at, strict=True))
    ]


def _along(points: Sequence[CoursePoint], name: str, at: Sequence[float]) -> FloatArray:
    """What one partition had done at some moments; before its first point nothing."""
    values = np.array([getattr(point, name) for point in points], np.float64)
    done: FloatArray = np.interp(at, [point.at for point in points], values, left=0.0)
    return done
