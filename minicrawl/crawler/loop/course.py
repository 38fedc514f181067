"""How a crawl has gone on: points of its curves, noted with commits. However long it lasts, there are some hundreds.

`seconds`: of crawling by then, in all runs, pauses left out. Points stand at least `apart` seconds apart:

    apart = max(2, seconds / 250)

When there are more than 500 of them, those go that stand closer than that behind one that stays.
"""

from collections.abc import Callable, Sequence

from minicrawl.run_look import CoursePoint
from minicrawl.store.writer import Writer

_LEAST_APART, _POINTS = 2.0, 250


class Course:
    """Notes points. Of what a commit writes it is the last: a point counts what the other parts have written."""

    def __init__(
        self, seconds: Callable[[], float], look: Callable[[], CoursePoint], noted: Sequence[CoursePoint]
    ) -> None:
        """look: the crawl as it stands. noted: the points that the store has."""
        self._seconds = seconds
        self._look = look
        self._noted = [point.seconds for point in noted]
        self._is_over = False

    def end(self) -> None:
        """The run is over: how it stands is noted in any case, instead of a point that has just been."""
        self._is_over = True

    def save(self, writer: Writer) -> None:
        """Note a point, if one is due, within the transaction of a commit."""
        seconds, noted = self._seconds(), self._noted
        apart = spacing(seconds)
        if not self._is_over and noted and seconds - noted[-1] < apart:
            return
        kept = noted[:]
        # The first one stays, so that of a short crawl there is more than its end.
        while kept and (seconds <= kept[-1] or (len(kept) > 1 and seconds - kept[-1] < apart)):
            kept.pop()
        if len(kept) >= 2 * _POINTS:
            kept = thinned(kept, apart)
        point = self._look()
        writer.save_course(point, dropped=sorted(set(noted) - set(kept)))
        self._noted = [*kept, point.seconds]


def spacing(seconds: float) -> float:
    """How far apart points stand, at least, after so many seconds of crawling."""
    return max(_LEAST_APART, seconds / _POINTS)


def thinned(seconds: Sequence[float], apart: float) -> list[float]:
    """Of rising times those that stay: the first, and each that is so far behind the one before it that stays."""
    stay = list(seconds[:1])
    for one in seconds[1:]:
        if one - stay[-1] >= apart:
            stay.append(one)
    return stay
