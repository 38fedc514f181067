"""Rules of an audit, and their findings.

A finding is about a target, mostly a page, once; its sources are counted. The first to mend is the finding that loses
most:

    lost = factor of the severity (error 1, warning 0.1, notice 0.01) * importance at stake
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from minicrawl.audit.crawled import Crawled


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


FACTORS = {Severity.ERROR: 1.0, Severity.WARNING: 0.1, Severity.NOTICE: 0.01}
MOST_EXAMPLES = 5


class Need(StrEnum):
    """What a rule needs of a store beside its pages and links; the value tells a user how to get it."""

    NOTHING = ""
    FINISHED = "a crawl that has no page left to fetch"
    FACTS = "minicrawl crawl --profile audit"


class Fault(NamedTuple):
    """A fault as a rule finds it.

    target: a page number; or a text for another target, such as a host. sources: numbers of the pages concerned, such
    as those that link to the target. importance: at stake; None: that of the target page.
    """

    target: int | str
    detail: str = ""
    sources: npt.NDArray[np.integer] | Sequence[int] = ()
    importance: float | None = None


class Finding(NamedTuple):
    """A fault of one target.

    importance: share of all importance that the target has, or that flows into it. sources: number of pages concerned,
    for links those that link to it; examples: URLs of the most important of them, at most MOST_EXAMPLES.
    """

    rule: str
    target: str
    importance: float
    sources: int
    examples: tuple[str, ...]
    detail: str


Check = Callable[["Crawled"], Iterable[Fault]]


@dataclass(frozen=True)
class Rule:
    """A rule of the audit. why, how: a sentence each, on the harm and the way to mend."""

    name: str
    severity: Severity
    subject: str
    why: str
    how: str
    needs: Need
    check: Check

    def lost(self, importance: float) -> float:
        """The weight of a finding with this importance at stake."""
        return FACTORS[self.severity] * importance


def rule(  # noqa: PLR0913 - what a user is told of it
    subject: str, name: str, severity: Severity, *, why: str, how: str, needs: Need = Need.NOTHING
) -> Callable[[Check], Rule]:
    """Make a Rule of a function of the crawled pages."""
    return lambda check: Rule(name, severity, subject, why, how, needs, check)
