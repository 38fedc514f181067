"""The health of a host: what an answer says of it, and how long it rests when it is ill. Time is passed in.

evidence   what an answer says against its host. Some speaks of the host (429, no connection, an answer that asks for a
           rest); other may as well speak of the page (403, 500, a reset): a witness decides
witness    a page of the host that was well read: if it fails in the same way, the host is ill, else it is acquitted
acquittal  of a sort of answers, by the witness: the next doubt takes one more of them in a row
rest       doubles with each failure of the witness, up to an hour; never ends before Retry-After is over

state   enters                                          leaves
well    at first                                        by doubt, when evidence in a row outnumbers acquittals
ill     the witness failed, or the evidence was sure    when the witness is well
back    then; delays are four times as long             a fifth less with each well answer, until they are as before
gone    no connection in three runs, a day apart        at any answer; it gets one request a run

A count of failures in a row alone takes well hosts for ill ones, and a page that failed as witness keeps its host ill
for as long as that page is broken.
"""

from typing import NamedTuple

from msgspec import Struct

from minicrawl.model import Fetched
from minicrawl.reasons import EITHER, OF_HOST, REFUSES, TRANSIENT, first_rest, has
from minicrawl.web.http.response_fields import asked_rest

WELL, ILL, BACK, GONE = "well", "ill", "back", "gone"

BUSY, REFUSING, WALLED, DOWN = "busy", "refusing", "walled", "down"

_LONGEST_REST = 3600.0
MOST_ACQUITTALS = 7
_SLOWED, _LESS_SLOWED = 4.0, 0.8  # after an illness
_OWN_DELAY, _LESS_OWN_DELAY, _LONGEST_OWN_DELAY = 1.5, 0.995, 30.0
_LONGEST_IN_DOUBT = 5.0  # of an own delay, where no witness fails
_WELL_ANSWERS_PER_HALF = 10  # that halve the rest with which the next illness begins
_RUNS_OF_THE_GONE, _DAY = 3, 24 * 3600.0

_SAID = {
    "asks-rest": BUSY,
    "forbids": REFUSING,
    "fails": DOWN,
    "silent": DOWN,
    "alike": WALLED,
    "sent-on": WALLED,
    "empty": DOWN,
}
"""How a host is ill, by the sort of answers. Their order is that of the counts in `Health.acquitted`."""
_SORTS = tuple(_SAID)


class Evidence(NamedTuple):
    """What an answer says against its host. `sort`: of _SAID; `reason`: its code; `is_sure`: it speaks of the host;
    `rest`: seconds for which the host would rest at least, `asked` of these by its own words."""

    sort: str
    reason: str
    is_sure: bool
    rest: float
    asked: float = 0.0

    @property
    def kind(self) -> str:
        """How the host is ill, if it is."""
        return _SAID[self.sort]


def evidence_of(fetched: Fetched, now: float) -> Evidence | None:
    """The evidence in an answer, or in its absence; None if it has none, or tells nothing of the host."""
    reason = "cut" if fetched.is_cut and (fetched.is_shown or fetched.status is None) else fetched.reason
    if reason is None:
        return None if fetched.status is None or fetched.status < 400 else _evidence_of_failure(fetched, now)
    if has(reason, OF_HOST | EITHER):
        return Evidence("silent", reason, has(reason, OF_HOST), first_rest(reason))
    return None


def _evidence_of_failure(fetched: Fetched, now: float) -> Evidence | None:
    reason, asked = f"http-{fetched.status}", asked_rest(fetched, now)
    if asked or fetched.status == 429:
        return Evidence("asks-rest", reason, True, asked or first_rest(reason), asked)
    if not has(reason, EITHER):
        return None
    is_fault = has(reason, TRANSIENT) and not has(reason, REFUSES)
    return Evidence("fails" if is_fault else "forbids", reason, False, first_rest(reason))


class Health(Struct):
    """The health of a host that was in doubt. Seconds, Unix seconds.

    `kind`, `reason`, `since`: how and by what answer it fell ill, and when; `well_at`: its last well answer before;
    `tries`: requests for its witness since; `rest`: its last rest, `next_at`: the end of that; `asked_until`: of one it
    asked for. `own_delay`: between two requests, as it has shown to need. `acquitted`: times that a witness
    acquitted it, 4 bits for each sort. `witnesses`: pages that were well read. `failed_runs`: that ended with it
    ill, the last at `failed_at`. `slowed`: factor on its delay; `well_answers`: since it fell ill.
    """

    state: str = WELL
    kind: str = ""
    reason: str = ""
    since: float = 0.0
    well_at: float = 0.0
    tries: int = 0
    rest: float = 0.0
    next_at: float = 0.0
    asked_until: float = 0.0
    own_delay: float = 0.0
    acquitted: int = 0
    witnesses: tuple[int, ...] = ()
    failed_runs: int = 0
    failed_at: float = 0.0
    slowed: float = 1.0
    well_answers: int = 0

    @property
    def is_ill(self) -> bool:
        return self.state in (ILL, GONE)

    def acquittals(self, sort: str) -> int:
        """Times that a witness acquitted the host of such answers."""
        return self.acquitted >> 4 * _SORTS.index(sort) & 15

    def acquit(self, sort: str) -> None:
        if self.acquittals(sort) < MOST_ACQUITTALS:
            self.acquitted += 1 << 4 * _SORTS.index(sort)

    def slow_down(self, delay: float) -> None:
        """The host fails often between well answers: it may serve only so many requests a minute. delay: as `fail`."""
        if delay:
            self.own_delay = max(self.own_delay, min(_OWN_DELAY * delay, _LONGEST_IN_DOUBT))

    def fail(self, evidence: Evidence, now: float, delay: float) -> None:
        """The host falls ill, or its witness has failed again. delay: between two requests to it until now."""
        if self.is_ill:
            self.tries += 1
            self.rest = min(max(2 * self.rest, evidence.rest), _LONGEST_REST)
        else:
            if delay and (evidence.kind == BUSY or self.state == BACK):
                self.own_delay = min(_OWN_DELAY * max(delay, self.own_delay), _LONGEST_OWN_DELAY)
            kept = self.rest / 2 ** (self.well_answers // _WELL_ANSWERS_PER_HALF)
            self.rest = min(max(evidence.rest, kept), _LONGEST_REST)
            self.state, self.since, self.tries, self.well_answers = ILL, now, 0, 0
        self.kind, self.reason = evidence.kind, evidence.reason
        if evidence.asked:
            self.asked_until = max(self.asked_until, now + evidence.asked)
        self.next_at = max(now + self.rest, self.asked_until)

    def recover(self, now: float) -> None:
        """The witness is well."""
        self.state, self.slowed, self.well_at = BACK, _SLOWED, now
        self.failed_runs, self.asked_until = 0, 0.0

    def note_well(self) -> None:
        """The host has given a well answer."""
        self.well_answers += 1
        self.own_delay *= _LESS_OWN_DELAY
        if self.state == BACK:
            self.slowed *= _LESS_SLOWED
            if self.slowed <= 1.0:
                self.state, self.slowed = WELL, 1.0

    def end_run(self, now: float, *, was_read: bool) -> None:
        """A run ends while the host is ill. was_read: a page of it ever was."""
        if now - self.failed_at < _DAY:
            return
        self.failed_runs, self.failed_at = self.failed_runs + 1, now
        has_no_server = has(self.reason, OF_HOST) and not self.reason.startswith("http-")
        if self.failed_runs >= _RUNS_OF_THE_GONE and (has_no_server or not was_read):
            self.state = GONE
