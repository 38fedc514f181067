"""Decides whether a host is ill or its pages are broken. Time is passed in.

held       an answer that is not taken in until the case of its host is decided
row        held answers without any other of the host between them
accused    answers held since the last well page, of which the witness has acquitted the host
trigger    the page by whose answer a host fell ill
way        answers of a folder that are no fault of the host: after the rest that it asked for, with the witness well,
           the folder answers the same again. Or redirects to a folder where the witness is as it was: a site has moved
contrast   a new page that is asked in place of the witness, as a cache may answer for that

An answer with evidence is held. Once the row outnumbers the acquittals of its sort, the host is in doubt: it is closed,
and its next request asks a witness. If that fails, the host is ill: what is held waits as if it had never been asked.
If not, what is held is the pages' own. So it is at the next well answer for a page.

A cache may go on to answer for pages that it knows: while pages are accused, or one asks for a rest after another, up
to four new pages are asked, of folders and names of which others are well, or none have failed. If all fail, the host
is ill for new pages, and these are its witnesses. So it is in one run: what is still so in the next one is the pages'
own.

A host that was never well has no witness: its pages are tried as often as any page, and only when three of them have
failed, or one asks for a rest, does it rest, with these as witnesses.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from msgspec import Struct, field

from minicrawl import log
from minicrawl.crawler.hosts.clocks import Host
from minicrawl.crawler.hosts.health import BACK, GONE, Evidence, Health, evidence_of
from minicrawl.crawler.known.known_pages import KnownHosts
from minicrawl.crawler.outcomes.outcome import NOT_MODIFIED
from minicrawl.crawler.recognise.looks import Look, Looks, look_of
from minicrawl.crawler.recognise.soft404 import folder_of
from minicrawl.crawler.visits.host_pages import HostPages
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, ParsedPage, State
from minicrawl.reasons import NOT_THERE, TRANSIENT, first_rest, has
from minicrawl.web.http.transport import parser_failed
from minicrawl.web.robots.rules import is_unreachable
from minicrawl.web.urls.keys import origin_of, politeness_key

WITNESSES = 3
_ALIKE_IN_A_ROW = 2
_MOST_ACCUSED = 16
_CONTRASTS = 4  # that are to fail
_FIRST_REST = 120.0  # after so many failures
_NEVER_WELL = 3  # pages of a host that was never well fail, and it rests
_TIMES_A_TRIGGER = 3
_MOST_WAYS = 64
_ASKS_REST = "asks-rest"
_ANY = ""  # on trial is the page that answers so first, if no page is well before
_PASSING = ("fails", "silent")  # sorts of evidence by which a host may ask to be asked less often
_OFTEN = 4  # well answers between two failures
_LOOKS = ("alike", "sent-on", "empty")  # sorts of evidence that many answers are together
_SHARED = _LOOKS[:2]  # on a well host all new pages may look alike, as tags do, or lead to one place, as for members
_SAME_SIZE = 0.1  # two answers for a page may differ by this share of their bytes
_AGAIN = 1.0  # seconds until a witness is requested again whose request failed on our side


def _asked_for(fetched: Fetched) -> Fetched:
    """An answer, or its absence where it is a 304 to a request without a condition."""
    is_odd = fetched.status == NOT_MODIFIED and not fetched.is_conditional
    return Fetched(fetched.url, reason="bad-response") if is_odd else fetched


class Case(Struct):
    """What is known against a host. `failed`: pages of one that was never well. `evidence`: the last; `look`: of the
    answers, if they look alike. `asks`: the pages to ask as witnesses, in turn, while it is closed. `on_trial`: a sort
    of answers, and the folder or page that may give them as its way. `tries_before`: of this illness, in runs before.
    """

    held: list[Turn] = field(default_factory=list)
    accused: list[Turn] = field(default_factory=list)
    failed: dict[int, None] = field(default_factory=dict)
    evidence: Evidence | None = None
    look: Look | None = None
    asks: list[int] = field(default_factory=list)
    contrasts: list[int] = field(default_factory=list)
    is_of_new_pages: bool = False
    triggers: Counter[int] = field(default_factory=Counter)
    trigger: Turn | None = None
    on_trial: tuple[str, str] | None = None
    ways: set[tuple[str, str]] = field(default_factory=set)
    failed_in: str = ""  # folder of the last failure that may pass
    well_since: int = 0  # answers since that
    tries_before: int = 0


class HostJudge:
    """The judge of all hosts. It closes those in doubt and those that are ill.

    pages: those of hosts. ask_witness: lines up a request for a page as witness, or for the URL to which it leads.
    take_in: takes in a held answer as its page's own. give_up: gives up a page with a reason code. `well_at`: time of
    the last well answer of any host, or of the beginning. `ill`: hosts by number.
    """

    def __init__(  # noqa: PLR0913 - what a verdict leads to
        self,
        hosts: KnownHosts,
        pages: HostPages,
        *,
        ask_witness: Callable[[Host, int, float, str], None],
        take_in: Callable[[Turn, float], None],
        give_up: Callable[[int, str, float], None],
        now: float,
    ) -> None:
        self._hosts, self._frontier, self._pages = hosts, hosts.frontier, pages
        self._ask_witness, self._take_in, self._give_up = ask_witness, take_in, give_up
        self._cases: dict[int, Case] = {}
        self._looks = Looks()
        self.well_at = now
        self.is_on = True
        """False: the answers come from an archive, and tell nothing of hosts."""
        self.ill: dict[int, Host] = {}
        self._asked_last: set[int] = set()

    @property
    def in_doubt(self) -> Collection[int]:
        """The numbers of hosts that are not ill and whose witness is requested."""
        return {number for number, case in self._cases.items() if case.asks} - self.ill.keys()

    def begin(self, now: float) -> None:
        """Ask the hosts that were ill when the last run ended: their witnesses first. One that was never well is open,
        unless it has asked for a rest: a run may end before that is over."""
        for host in self._frontier.hosts:
            if (health := host.health) is None or not health.is_ill:
                continue
            self._frontier.end_rest(host, now)
            if self._witnesses(host) or (health.witnesses and health.asked_until > now):
                case = self._cases[host.id] = Case(tries_before=health.tries)
                self._close(host, case, now)
                self._frontier.rest(host, health.asked_until, now)
                self._ask(host, case, now)

    # Answers for pages.

    def holds(self, turn: Turn) -> bool:
        """Judge the answer for a page. True: it is held, and the page waits for the verdict on its host."""
        if not self.is_on:
            return False
        host = self._frontier.host(turn.page)
        look = look_of(turn.page, turn.fetched, turn.parsed)
        is_alike = look is not None and self._looks.note(host.id, look)
        evidence = evidence_of(turn.fetched if turn.outcome.is_unchanged else _asked_for(turn.fetched), turn.now)
        if evidence is None and is_alike:
            assert look is not None
            evidence = Evidence(look.sort, look.sort, False, first_rest(look.sort))
        if evidence is not None:
            return self._is_held(host, turn, evidence, look)
        if turn.fetched.status is not None:
            self._note_well(host, turn)
        return False

    def _note_well(self, host: Host, turn: Turn) -> None:
        self.well_at = host.well_at = turn.now
        if turn.outcome.state is State.FETCHED and len(host.witnesses) < WITNESSES:
            host.witnesses = (*host.witnesses, turn.page)
        if host.health is not None:
            host.health.note_well()
        case = self._cases.get(host.id)
        if host.health is not None and host.health.is_ill and (case is None or not case.asks):
            host.health.recover(turn.now)  # it was never well before, and is open
            self._hosts.note_change(host)
        if case is not None:
            case.well_since += 1
        if case is not None and not case.asks:
            if case.on_trial is not None and case.on_trial[1] in (turn.fetched.url, folder_of(turn.fetched.url), _ANY):
                case.on_trial = None
            self._release(case, turn.now)

    def _is_held(self, host: Host, turn: Turn, evidence: Evidence, look: Look | None) -> bool:
        case = self._cases.setdefault(host.id, Case())
        health = host.health
        if health is not None and health.is_ill and case.asks:  # it was in flight when the host fell ill
            if evidence.asked:
                health.asked_until = max(health.asked_until, turn.now + evidence.asked)
                self._hosts.rest(host, evidence.asked, turn.now)
            self._frontier.put_back(turn.page, turn.now)
            return True
        is_moved = look is not None and (look.sort, look.title) in case.ways
        if is_moved or self._is_its_way(host, case, turn.fetched.url, evidence.sort):
            if health is not None:
                health.note_well()
            return False
        if not self._witnesses(host):
            return self._is_held_of_unknown(host, case, turn, evidence)
        self._slow_down_if_often(host, case, turn, evidence)
        acquittals = 0 if health is None else health.acquittals(evidence.sort)
        # Where one folder asks for a rest for itself alone, an answer of another one is no more than a doubt.
        is_sure = evidence.is_sure and not (evidence.sort == _ASKS_REST and acquittals)
        is_sure = is_sure and not self._is_of_other_origin(host, turn.fetched.url, evidence)
        if self._pages.has_failed(turn.page) and not (case.asks or is_sure):
            return False  # its host was acquitted of this
        case.held.append(turn)
        case.evidence, case.look = evidence, look if evidence.sort in _LOOKS else None
        if case.asks:
            return True  # the witness is requested already
        least = max(acquittals, _ALIKE_IN_A_ROW - 1) if evidence.sort in _LOOKS else acquittals
        if evidence.sort == _ASKS_REST:
            least -= 1  # the first acquittal came with a rest
        is_last = not self._frontier.pages.has_page(host) and not host.in_flight
        is_own = evidence.sort == "alike" and acquittals > 0  # pages of the host are known to look alike
        if is_sure:
            self._fall_ill(host, case, evidence, turn.now)
        elif len(case.held) > least or (is_last and not is_own):
            self._doubt(host, case, turn.now)
        elif is_last:
            self._release(case, turn.now)
        return True

    def _is_its_way(self, host: Host, case: Case, url: str, sort: str) -> bool:
        """True if a folder, or a page, answers so while its host is well."""
        ways = (sort, url), (sort, folder_of(url))
        if case.on_trial == (sort, _ANY):
            case.on_trial = self._tried(host, sort, url)
        if case.on_trial in ways and len(case.ways) < _MOST_WAYS:
            assert case.on_trial is not None
            case.ways.add(case.on_trial)
            case.on_trial = None
            assert host.health is not None
            host.health.acquit(sort)
        return not case.ways.isdisjoint(ways)

    def _slow_down_if_often(self, host: Host, case: Case, turn: Turn, evidence: Evidence) -> None:
        """Slow a host down that goes on to fail in one folder and another, with few well answers between."""
        if evidence.sort not in _PASSING:
            return
        folder = folder_of(turn.fetched.url)
        is_often = case.failed_in not in ("", folder) and case.well_since < _OFTEN
        case.failed_in, case.well_since = folder, 0
        if is_often and host.health is not None and not case.asks:
            host.health.slow_down(host.delay)
            self._hosts.set_delay(host, turn.now)

    def _is_of_other_origin(self, host: Host, url: str, evidence: Evidence) -> bool:
        """True if there is no answer where no witness is: a server may be well by http, and have no https."""
        origins = {origin_of(self._pages.url(page)) for page in host.witnesses}
        return evidence.sort == "silent" and origin_of(url) not in origins

    def _is_held_of_unknown(self, host: Host, case: Case, turn: Turn, evidence: Evidence) -> bool:
        """As `_is_held`, of a host that was never well."""
        case.failed[turn.page], case.evidence = None, evidence
        if evidence.sort == _ASKS_REST or (len(case.failed) >= _NEVER_WELL and evidence.sort not in _LOOKS):
            case.held.append(turn)
            case.is_of_new_pages = True
            if not case.asks:
                self._fall_ill(host, case, evidence, turn.now)
            return True
        return False

    def _release(self, case: Case, now: float) -> None:
        """Take in what is held as the pages' own."""
        held, case.accused, case.held = case.accused + case.held, [], []
        for turn in held:
            self._take_in(turn, now)

    def on_idle(self, host: Host, now: float) -> None:
        """No page of a host waits: nothing more will tell of what is held."""
        case = self._cases.get(host.id)
        if case is not None and not case.asks:
            self._release(case, now)

    def on_robots(self, host: Host, page: int | None, fetched: Fetched, now: float) -> bool:
        """Judge an answer for robots.txt, for which a page waits. Returns True if the host was well before, and is ill
        by this: nothing else may be requested of it meanwhile."""
        evidence = evidence_of(fetched, now) if self.is_on and is_unreachable(fetched) else None
        case = self._cases.setdefault(host.id, Case()) if evidence is not None else self._cases.get(host.id)
        if case is None:
            return False
        if evidence is None:
            if page is not None:
                case.failed.pop(page, None)
            if case.asks and fetched.status is not None:
                self.well_at = now  # the witness is next
            return False
        case.evidence = evidence
        if self._witnesses(host) and not self._is_of_other_origin(host, fetched.url, evidence):
            self._fall_ill(host, case, evidence, now, asks=not case.asks)
            return True
        if page is not None:
            case.failed[page] = None
        return False

    # Verdicts.

    def on_witness(self, host: Host, page: int, fetched: Fetched, parsed: ParsedPage, now: float) -> None:
        """Judge the answer of a witness."""
        case = self._cases[host.id]
        suspect = case.look
        try:
            look, evidence = look_of(page, fetched, parsed), evidence_of(_asked_for(fetched), now)
        except Exception as error:  # it tells nothing of the host
            look = evidence = None
            parser_failed(fetched.url, error)
        is_led_to = fetched.url != self._pages.url(page)
        if suspect is not None and look is not None and evidence is None:
            if look.sort == "sent-on" and not is_led_to and self._follows(host, page, look, suspect, now):
                return
            if suspect.is_like(look) or (is_led_to and suspect.sort == "sent-on"):
                evidence = case.evidence
        if evidence is not None and evidence.sort in _LOOKS and self._is_as_before(page, fetched, parsed):
            evidence = None
        if page in case.contrasts:
            self._on_contrast(host, case, page, evidence, now)
        elif evidence is not None:
            self._fall_ill(host, case, evidence, now)
        elif fetched.status is None:  # the fault is not the host's
            self._hosts.rest(host, _AGAIN, now, is_asked=False)
            self._ask(host, case, now)
        elif has(f"http-{fetched.status}", NOT_THERE) and len(case.asks) > 1:  # it is gone
            case.asks.remove(page)
            host.witnesses = tuple(other for other in host.witnesses if other != page)
            self._ask(host, case, now)
        else:
            if is_led_to and suspect is not None:
                case.ways.add((suspect.sort, suspect.title))
            (self._recover if host.is_ill else self._acquit)(host, case, now)

    def _on_contrast(self, host: Host, case: Case, page: int, evidence: Evidence | None, now: float) -> None:
        if evidence is None:
            case.contrasts.remove(page)
            self._acquit(host, case, now)
            self._release(case, now)
        elif len(case.contrasts) >= _CONTRASTS:
            case.is_of_new_pages = True
            self._fall_ill(host, case, evidence._replace(rest=max(evidence.rest, _FIRST_REST)), now)
        elif not self._asks_contrast(host, case, now):
            self._ask(host, case, now)  # too few pages are left to tell

    def _follows(self, host: Host, page: int, look: Look, suspect: Look, now: float) -> bool:
        """Ask where a witness leads, if pages lead there, too: a site may have moved. False: one of the hosts is known
        to be ill, or the other one is not known."""
        to = self._hosts.known(politeness_key(look.url))
        follows = to is not None and not self.ill.keys() & {host.id, to.id} and suspect.is_like(look)
        if follows:
            self._ask_witness(host, page, now, look.url)
        return follows

    def _is_as_before(self, page: int, fetched: Fetched, parsed: ParsedPage) -> bool:
        """True if a page says what it said when it was read: many pages of a site may look alike, or be empty."""
        before = self._pages.last_answer(page)
        if before is None or before.title != parsed.title:
            return False
        return abs(before.bytes - fetched.size) <= _SAME_SIZE * before.bytes

    def dismiss(self, host: Host, now: float) -> None:
        """No witness may get a request: let the pages of a host be requested themselves."""
        case = self._cases[host.id]
        if host.health is not None and host.health.is_ill:
            host.health.state = BACK
        self._open(host, case, now)
        self._release(case, now)

    def _doubt(self, host: Host, case: Case, now: float) -> None:
        self._close(host, case, now)
        assert case.evidence is not None
        is_vouched_for = case.accused or case.evidence.sort == _ASKS_REST  # a cache may answer for the witness
        if not (is_vouched_for and self._asks_contrast(host, case, now)):
            self._ask(host, case, now)

    def _acquit(self, host: Host, case: Case, now: float) -> None:
        assert case.evidence is not None
        self.well_at = host.well_at = now
        if host.health is None:
            host.health = Health()
        host.health.acquit(case.evidence.sort)
        sort = case.evidence.sort
        ways = {(sort, self._pages.url(page)) for page in case.contrasts}
        if sort == _ASKS_REST:
            ways |= {self._tried(host, sort, turn.fetched.url) for turn in case.held}
        case.ways |= ways if len(case.ways) < _MOST_WAYS else set()
        self._hosts.note_change(host)
        case.accused, case.held = case.accused + case.held, []
        self._open(host, case, now)
        if sort in _SHARED or len(case.accused) > _MOST_ACCUSED or not self._frontier.pages.has_page(host):
            self._release(case, now)

    def _asks_contrast(self, host: Host, case: Case, now: float) -> bool:
        """Ask a new page that has nothing to do with those that failed; True if there is one to be asked."""
        assert case.evidence is not None
        if case.evidence.sort in _SHARED or case.tries_before:
            return False
        failed = *(turn.page for turn in case.accused + case.held), *case.contrasts
        page = self._pages.new(host, {*map(self._pages.url, failed), *(place for _, place in case.ways)})
        if page is not None:
            case.contrasts.append(page)
            self._ask_witness(host, page, now, self._pages.url(page))
        return page is not None

    def _fall_ill(self, host: Host, case: Case, evidence: Evidence, now: float, *, asks: bool = True) -> None:
        """asks: a witness is to be lined up; False: one is."""
        was_ill = host.is_ill
        if host.health is None:
            host.health = Health()
        health = host.health
        health.fail(evidence, now, host.delay)
        if not (was_ill and case.asks):
            health.well_at = host.well_at
            self._begin_illness(host, case, now)
        self._hosts.rest(host, health.next_at - now, now, is_asked=bool(evidence.asked))
        log.event("host-ill", host=host.name, kind=health.kind, reason=health.reason, seconds=health.next_at - now)
        if asks and health.state != GONE:
            self._ask(host, case, now)

    def _begin_illness(self, host: Host, case: Case, now: float) -> None:
        assert host.health is not None
        self._close(host, case, now)
        case.trigger = case.held[0] if case.held else None
        if case.trigger is not None:
            case.triggers[case.trigger.page] += 1
        again = {*case.failed, *(self._looks.pages_like(host.id, case.look) if case.look is not None else ())}
        held, case.accused, case.held = case.accused + case.held, [], []
        if case.is_of_new_pages:
            case.asks = list(dict.fromkeys((*(turn.page for turn in held), *case.failed)))[:WITNESSES]
        host.health.witnesses = tuple(case.asks)
        for turn in held:
            again.discard(turn.page)
            if case.triggers[turn.page] >= _TIMES_A_TRIGGER:
                self._give_up(turn.page, "makes-host-ill", now)
            else:
                self._frontier.put_back(turn.page, now)
        for page in again:
            self._pages.take_back(page, now)

    def _recover(self, host: Host, case: Case, now: float) -> None:
        assert host.health is not None
        self.well_at = host.well_at = now
        if case.evidence is None and host.health.asked_until:
            case.on_trial = _ASKS_REST, _ANY  # it fell ill in an earlier run: the page that began it comes first
        elif case.trigger is not None and case.evidence is not None and case.evidence.sort == _ASKS_REST:
            case.on_trial = self._tried(host, _ASKS_REST, case.trigger.fetched.url)
        host.health.recover(now)
        case.failed.clear()
        case.is_of_new_pages = False
        log.event("host-back", host=host.name)
        self._hosts.set_delay(host, now)
        self._open(host, case, now)

    def _tried(self, host: Host, sort: str, url: str) -> tuple[str, str]:
        """What may have a way of its own: the folder of a page, or the page alone where another was well in that."""
        folder, well = folder_of(url), {*host.witnesses, *self._pages.well_read(host)}
        return sort, url if folder in (folder_of(self._pages.url(page)) for page in well) else folder

    def _witnesses(self, host: Host) -> Sequence[int]:
        """Pages that were well read, and are not soft 404s by now."""
        host.witnesses = tuple(page for page in host.witnesses if self._pages.last_answer(page) is not None)
        if not host.witnesses:
            host.witnesses = tuple(self._pages.well_read(host))[:WITNESSES]
        return host.witnesses

    def _close(self, host: Host, case: Case, now: float) -> None:
        if not case.asks:
            kept = () if host.health is None else host.health.witnesses
            asks = list(self._witnesses(host) or kept or (turn.page for turn in case.held))
            # No witness is the page to which all others lead, or one that looked like them before any was suspected.
            target = case.look.title if case.look is not None and case.look.sort == "sent-on" else None
            like = () if case.look is None else self._looks.pages_like(host.id, case.look)
            apart = [page for page in asks if page not in like and self._pages.url(page).rstrip("/") != target]
            case.asks = apart or asks
            self._frontier.close(host, now)
        if host.is_ill:
            self.ill[host.id] = host
            self._frontier.set_ill(host, is_ill=True)

    def _open(self, host: Host, case: Case, now: float) -> None:
        case.asks, case.contrasts = [], []
        self.ill.pop(host.id, None)
        self._frontier.set_ill(host, is_ill=False)
        self._frontier.open(host, now)

    # The end of a run.

    @property
    def has_pages_of_ill_hosts(self) -> bool:
        """True if pages wait for hosts that are ill."""
        return any(map(self._frontier.pages.has_page, self.ill.values()))

    def ends_at(self, patience: float, now: float) -> float | None:
        """Unix seconds until which a run waits for hosts that are ill, with nothing else to do; None: for none."""
        until = self.well_at + patience
        waited_for = [host for host in self.ill.values() if self._is_waited_for(host, until)]
        return until if waited_for and now < until else None

    def _is_waited_for(self, host: Host, until: float) -> bool:
        health = host.health
        assert health is not None
        if health.state == GONE or health.asked_until > until:
            return False
        tries = health.tries - self._cases[host.id].tries_before
        return bool(host.witnesses) or (tries < _NEVER_WELL and has(health.reason, TRANSIENT))

    def ask_once_more(self, now: float) -> bool:
        """Ask the ill hosts before their rests are over, but for what they asked for, a last time. True: there are some
        that were not asked so before."""
        last = [host for host in self.ill.values() if host.id not in self._asked_last and host.errands]
        self._asked_last.update(host.id for host in last)
        due = [host for host in last if host.health is not None and host.health.asked_until <= now]
        for host in due:
            self._frontier.end_rest(host, now)
        return bool(due)

    def finish(self, now: float) -> None:
        """The run is over: what is ill stays so. What the witness has spoken of is the pages' own, and so is a single
        page that is held, or runs of one page would get nowhere. More of them wait for the next run."""
        for number, case in self._cases.items():
            host = self._frontier.hosts[number]
            if len(case.held) > 1:
                case.held = []
            if not host.is_ill:
                self._release(case, now)
            was_read = bool(self._witnesses(host))
            if not was_read and case.failed and case.evidence is not None and host.health is None:
                host.health = Health(witnesses=tuple(case.failed)[:WITNESSES])
                host.health.fail(case.evidence, now, 0.0)
            if host.health is not None and host.health.is_ill:
                was_gone = host.health.state == GONE
                host.health.end_run(now, was_read=was_read)
                if host.health.state == GONE and not was_gone:
                    log.event("host-gone", host=host.name, reason=host.health.reason)
                self._hosts.note_change(host)

    # Witnesses.

    def _ask(self, host: Host, case: Case, now: float) -> None:
        """Line up the next witness: the page read last first, because it is the most like a page that fails."""
        page = case.asks.pop()
        case.asks.insert(0, page)
        if page in host.witnesses:
            host.witnesses = (page, *(other for other in host.witnesses if other != page))
        self._ask_witness(host, page, now, self._pages.url(page))
