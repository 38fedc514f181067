"""What a crawl in partitions costs on 1 to 1,000 machines, by simulation: speed, messages, memory, standstill.

    python bench/cluster_model.py                             the table, and other designs
    python bench/cluster_model.py --machines 100 --urls 1e10  one row; --post ray, --pairs partitions

Three simulations of events, seeded, so with the same numbers in each run:

- One worker for a while: hosts become ready after their delay, answers of four classes arrive, each takes CPU, and so
  do commits, reports and the messages sent and taken. The other workers are taken to be like it, and records to fall on
  them at random. At most 4,000 hosts of a worker are simulated; with long intervals an event stands for several pages.
- The keeper: reports of all workers arrive, and wait for each other.
- The whole crawl: hosts in classes of size, powers of two, each asked at most once in delay + answer. An event is the
  end of a class, the loss of a machine, or the end of a take-over, after which a spare machine works.
  Hosts that have pages left share alike in what machines can do.

Memory, disk, opening, moves and take-overs are sums of costs. Not modelled: the traffic and disk of replicas,
compressed messages, DNS, memory of hosts. bench/cluster_costs.py measures costs, and has the model beside real crawls.
"""

import argparse
import heapq
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

COSTS = {
    # name: (value, where it was measured)
    "CPU of a page, s": (
        1.78e-3,
        "docs/numbers.md, A crawl: five sites, plain HTTP, quiet; 8.1 here with 4,000 dead hosts",
    ),
    "bytes of a page on the wire": (8_160, "a crawl of the documentation: 30.7 MB for 3,764 pages"),
    "links of a page": (46, "docs/numbers.md"),
    "bytes of a known URL in the store": (207, "docs/numbers.md, Many URLs"),
    "bytes of a link in the store": (5.3, "docs/numbers.md, Many URLs"),
    "memory of a known URL, bytes": (127, "bench/startup.py 1000000; 85 at ten million, docs/numbers.md"),
    "mirrors for each known URL": (0.27, "39 sites by registrable domain, 64 partitions"),
    "memory of a worker, bytes": (60e6, "docs/cluster.md: 53 MB, an actor of Ray 90"),
    "records of a page": (8.2, "bench/messages.py, 4 partitions: 32,778 records of 4,000 pages, settling included"),
    "bytes of a record": (92, "the same: 3.05 MB; 16 partitions 4.7 MB for 51,563; not compressed"),
    "CPU of a record, sent and taken, s": (20e-6, "a guess; 0 to 130 us: docs/cluster.md"),
    "CPU of a message: unix, s": (0.40e-3, "bench/cluster_costs.py: a connection for each, 10 kB; 0.4 to 0.5"),
    "CPU of a message: tcp, s": (
        0.20e-3,
        "bench/cluster_costs.py: a connection that stays, 10 kB; 0.07 to 0.2 by load",
    ),
    "CPU of a message: ray, s": (1.1e-3, "0.8 to 1.3 ms in all processes of Ray"),
    "memory of a connection, bytes": (20e3, "asyncio's two streams and the kernel's buffers, not measured"),
    "CPU of a report at the keeper, s": (0.10e-3, "bench/cluster_costs.py: JSON of 1 kB, both ways"),
    "CPU of a commit without pages, s": (0.30e-3, "bench/cluster_costs.py: a transaction of 20 rows"),
    "opening a million URLs, s": (1.3, "bench/startup.py 1000000 from copies, busy machine; 0.46 quiet"),
    "opening a million URLs after a kill, s": (3.6, "the same, half a million touched since; 2.0 quiet"),
    "start of a worker, s": (0.75, ".75 to .93 s on two busy cores"),
}
HOST_PAGES, TAIL = 54, 1.1
"""Pages of a host: 6.3 billion of 117 million hosts (IRLbot, WWW 2008); the exponent of a power law: assumed."""
READ = 0.2
"""Share of the known URLs that is read."""
ANSWERS = ((0.70, 0.15), (0.22, 0.6), (0.06, 2.5), (0.02, 10.0))
"""Share of the hosts, and seconds until their answers, of which each is drawn around (exponential)."""
HOSTS_AT_ONCE = 4_000
NETWORK = 110e6
"""Bytes/s between machines: a gigabit."""
OPENING_LIMIT, OPEN_FILES = 600.0, 4_096
"""Limits: seconds until a worker has opened its partitions; connections of a worker. Others are those of a Design."""


def cost(name: str) -> float:
    return float(COSTS[name][0])


@dataclass(frozen=True)
class Design:
    """A crawl. delay, interval, reports: seconds; interval None: max(2, workers / 32). pairs: those of messages.
    reports: between two of a worker; None: a lease as long as the interval."""

    machines: int
    urls: float
    workers: int = 4
    partitions: int | None = None
    post: str = "tcp"
    pairs: str = "workers"
    delay: float = 1.0
    interval: float | None = None
    reports: float | None = None
    mtbf: float = 2_000 * 3600
    memory: float = 64e9
    disk: float = 2e12
    detection: float = 10.0
    seed: int = 1
    cpu: float = cost("CPU of a page, s")
    record_cpu: float = cost("CPU of a record, sent and taken, s")

    @property
    def everybody(self) -> int:
        return self.machines * self.workers

    @property
    def parts(self) -> int:
        """Partitions: 16 for each worker, at least 64, at most 65,536; a power of two."""
        return self.partitions or min(65_536, max(64, 2 ** math.ceil(math.log2(16 * self.everybody))))

    @property
    def apart(self) -> float:
        return self.interval or max(2.0, self.everybody / 32)

    @property
    def lease(self) -> float:
        return self.reports or self.apart

    @property
    def hosts(self) -> float:
        return self.urls * READ / HOST_PAGES


@dataclass
class Worked:
    """Sums of one worker: pages and messages a second, bytes a second, shares of its core."""

    pages: float
    messages: float
    bytes: float
    for_messages: float
    busy: float
    waiting: float


def work(design: Design, seconds: float = 40.0) -> Worked:
    """Simulate one worker. Pages are made ready by their hosts' delays, and done one after the other by its core."""
    rng = random.Random(design.seed)
    seconds = max(seconds, 3 * design.apart)
    scale = 1.0
    hosts = int(min(HOSTS_AT_ONCE, max(1, design.hosts / design.everybody)))
    if seconds > 60:  # long intervals: fewer hosts, each page stands for several
        scale = seconds / 60
    cpu, hosts = design.cpu * scale, max(1, int(hosts / scale))
    ready = [(rng.random() * (design.delay + 0.5), k) for k in range(hosts)]
    heapq.heapify(ready)
    mean = rng.choices([seconds for _, seconds in ANSWERS], [share for share, _ in ANSWERS], k=hosts)
    now = pages = sent = size = mailing = busy = 0.0
    due, unsent = design.apart * rng.random(), 0.0
    record = cost("bytes of a record")
    away = cost("records of a page") * (1 - 1 / design.everybody if design.pairs == "workers" else 1 - 1 / design.parts)
    message = cost(f"CPU of a message: {design.post}, s")  # sent here and taken there, and the other way round
    small = cost("CPU of a commit without pages, s") * design.parts / design.everybody
    small += cost("CPU of a report at the keeper, s") * design.apart / design.lease
    while now < seconds:
        if now >= due:
            targets = _targets(rng, unsent, design)
            spent = targets * message + unsent * design.record_cpu + small
            size += unsent * record
            now, busy, mailing = now + spent, busy + spent, mailing + spent
            sent, unsent = sent + targets, 0.0
            due = now + max(design.apart - spent, spent)  # pages are not starved
        at, host = heapq.heappop(ready)
        now = max(now, at) + cpu
        busy, pages, unsent = busy + cpu, pages + scale, unsent + away * scale
        answer = rng.expovariate(1 / mean[host])
        heapq.heappush(ready, (now + design.delay + answer, host))
    waiting = 1 - busy / now
    return Worked(pages / now, sent / now, size / now, mailing / now, busy / now, waiting)


def _targets(rng: random.Random, records: float, design: Design) -> float:
    """Messages of a hand-over: pairs that got at least one of the records, thrown at random."""
    own = design.parts / design.everybody if design.pairs == "partitions" else 1.0
    others = design.everybody - 1 if design.pairs == "workers" else (design.parts - 1) * own
    if others < 1 or records < 1:
        return 0.0
    if others * records < 1e5:
        return float(len({rng.randrange(int(others)) for _ in range(int(records))}))
    return others * -math.expm1(-records / others)


def keep(design: Design, seconds: float = 10.0) -> tuple[float, float]:
    """Simulate the keeper. Returns the share of a core that it needs, and the longest wait of a report, s."""
    rng, spent = random.Random(design.seed), cost("CPU of a report at the keeper, s")
    each = design.parts if design.pairs == "partitions" else design.everybody
    seconds = max(seconds, 2 * design.lease)
    arrivals = sorted(rng.random() * design.lease + k * design.lease for _ in range(each) for k in range(2))
    free = longest = 0.0
    for at in arrivals:
        free = max(free, at) + spent
        longest = max(longest, free - at)
    return len(arrivals) * spent / (2 * design.lease), longest


@dataclass
class Crawled:
    """The whole crawl: seconds until half, 90, 99 % and all of its pages; machines lost until then."""

    until: list[float]
    lost: int


def crawl(design: Design, speed: float, takeover: float, *, fails: bool) -> Crawled:
    """Simulate the crawl of classes of hosts. speed: pages/s of all workers; takeover: s without a machine."""
    rng = random.Random(design.seed)
    classes = _classes(design)
    every = design.delay + sum(share * seconds for share, seconds in ANSWERS)
    total = sum(count * size for size, count in classes)
    goals = [total * share for share in (0.5, 0.9, 0.99)] + [total * (1 - 1e-9)]
    now = done = each = 0.0  # each: pages read of every host that has so many
    lost, away = 0, 0.0
    failure = rng.expovariate(design.machines / design.mtbf) if fails else math.inf
    until: list[float] = []
    for at, (size, _) in enumerate(classes):
        alive = sum(count for _, count in classes[at:])
        while each < size:
            share = 1 - min(1.0, 1 / design.machines) if now < away else 1.0
            rate = min(alive / every, speed) * share
            end = now + (size - each) * alive / rate if rate else math.inf
            stop = min(end, failure, away if now < away else math.inf)
            step = rate * (stop - now)
            while len(until) < len(goals) and done + step >= goals[len(until)]:
                until.append(now + (goals[len(until)] - done) / rate)
            done, each, now = done + step, each + step / alive, stop
            if stop == end:
                each = size
            if stop == failure:
                lost, away = lost + (len(until) < 2), max(away, now + takeover)
                failure = now + rng.expovariate(design.machines / design.mtbf)
    return Crawled(until + [now] * (len(goals) - len(until)), lost)


def _classes(design: Design) -> list[tuple[float, float]]:
    """Sizes of hosts, rising by powers of two, and how many hosts have each. The largest is the one in all hosts."""
    largest = max(1, int(math.log2(max(2.0, design.hosts)) / TAIL))
    counts = [2 ** (-TAIL * k) - 2 ** (-TAIL * (k + 1)) for k in range(largest)] + [2 ** (-TAIL * largest)]
    mean = sum(count * 2**k for k, count in enumerate(counts))
    return [(HOST_PAGES / mean * 2**k, design.hosts * count) for k, count in enumerate(counts)]


def opening(design: Design, *, after_a_kill: bool) -> float:
    """Seconds until a worker has opened all its partitions."""
    name = "opening a million URLs after a kill, s" if after_a_kill else "opening a million URLs, s"
    known = design.urls * (1 + cost("mirrors for each known URL")) / design.everybody
    return cost("start of a worker, s") + known / 1e6 * cost(name)


def moved(design: Design, pages: float) -> float:
    """Seconds in which a partition stands still while it moves: its store is copied while it works, then the rest again
    and again until less than a second of it is left; then it is opened elsewhere. pages: a second, of a worker."""
    written = pages * design.everybody / design.parts * 2_500  # bytes/s: pages, links, accounts (docs/numbers.md)
    rest = disk(design) * design.machines / design.parts
    rounds = 0
    while rest > NETWORK / 2 and rounds < 20:
        rest, rounds = written * rest / NETWORK, rounds + 1
    known = design.urls * (1 + cost("mirrors for each known URL")) / design.parts
    return rest / NETWORK + known / 1e6 * cost("opening a million URLs, s")


def taken_over(design: Design) -> float:
    """Seconds until all partitions of a lost machine work again, from replicas at the others, shared out among all
    their workers; a single machine has to come back itself, which takes two minutes."""
    if design.machines == 1:
        return 120 + opening(design, after_a_kill=True)
    known = design.urls * (1 + cost("mirrors for each known URL")) / design.parts / 1e6
    each = math.ceil(design.parts / design.machines / (design.everybody - design.workers))
    return design.detection + each * known * cost("opening a million URLs after a kill, s")


def memory(design: Design) -> float:
    """Bytes of a machine."""
    known = design.urls * (1 + cost("mirrors for each known URL")) / design.machines
    pairs = design.everybody if design.pairs == "workers" else 0
    of_worker = cost("memory of a worker, bytes") + 2 * pairs * cost("memory of a connection, bytes")
    return known * cost("memory of a known URL, bytes") + design.workers * of_worker


def disk(design: Design) -> float:
    """Bytes of a machine, without replicas."""
    known = design.urls * (1 + cost("mirrors for each known URL")) * cost("bytes of a known URL in the store")
    links = design.urls * READ * cost("links of a page") * cost("bytes of a link in the store")
    return (known + links) / design.machines


def row(design: Design) -> list[str]:
    """A row of the table."""
    one, (keeper, _) = work(design), keep(design)
    speed, over = one.pages * design.everybody, taken_over(design)
    whole, failing = (crawl(design, speed, over, fails=fails) for fails in (False, True))
    limits = {
        "memory": memory(design) / design.memory,
        "disk": disk(design) / design.disk,
        "keeper": keeper,
        "messages": one.for_messages,
        "connections": (2 * design.everybody if design.pairs == "workers" else 0) / OPEN_FILES,
        "opening": opening(design, after_a_kill=True) / OPENING_LIMIT,
        "hosts": one.waiting / 0.5,
    }
    worst = sorted(limits, key=lambda name: -limits[name])[:2]
    return [
        f"{design.machines:,}",
        f"1e{math.log10(design.urls):.0f}",
        f"{design.parts:,}",
        f"{design.apart:.1f}",
        f"{speed:,.0f}",
        f"{one.messages * design.everybody:,.0f}",
        f"{one.bytes * design.everybody / 1e6:,.1f}",
        f"{100 * one.for_messages:.1f}",
        f"{100 * keeper:.1f}",
        f"{memory(design) / 1e9:,.1f}",
        f"{disk(design) / 1e9:,.0f}",
        f"{opening(design, after_a_kill=False):,.0f} / {opening(design, after_a_kill=True):,.0f}",
        f"{moved(design, one.pages):,.1f}",
        f"{over:,.0f}",
        f"{span(whole.until[0])} / {span(whole.until[2])} / {span(whole.until[3])}",
        f"{failing.lost:,}, +{100 * (failing.until[0] / whole.until[0] - 1):.1f} %",
        ", ".join(f"{name} {100 * limits[name]:.0f} %" for name in worst),
    ]


HEADS = (
    *("machines", "URLs", "P", "T, s", "pages/s", "messages/s", "MB/s", "CPU of messages, %", "keeper, %"),
    *("memory, GB", "disk, GB", "opening, after a kill, s", "a move, s", "a lost machine, s", "50, 99, 100 % read"),
    *("lost until 90 %, longer to 50 %", "of the limits"),
)


def span(seconds: float) -> str:
    """Seconds in the unit that suits."""
    for unit, size in (("y", 31_557_600), ("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.0f} s"


CHOICE_HEADS = ("machines", "design", "messages/s", "CPU of messages, %", "pages/s", "keeper, %", "longest wait, s")


def show(rows: Iterator[list[str]], heads: tuple[str, ...] = HEADS) -> None:
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for cells in rows:
        print("| " + " | ".join(cells) + " |", flush=True)


def choices(base: Design) -> Iterator[list[str]]:
    """Rows of designs of messages and reports, for 10^10 URLs."""
    for machines in (1, 10, 100, 1_000):
        here = replace(base, machines=machines, urls=1e10)
        for name, design in {
            "pairs of workers, max(2, workers / 32) s, leases": here,
            "the same, by Ray": replace(here, post="ray"),
            "pairs of workers, 2 s, a report in 0.5 s": replace(here, interval=2.0, reports=0.5),
            "pairs of partitions, 2 s, a connection each, 0.5 s": replace(
                here, interval=2.0, reports=0.5, pairs="partitions", post="unix"
            ),
        }.items():
            one, (keeper, longest) = work(design), keep(design)
            figures = (one.messages * design.everybody, 100 * one.for_messages, one.pages * design.everybody)
            yield [f"{machines:,}", name, *(f"{figure:,.1f}" for figure in (*figures, 100 * keeper, longest))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", type=int)
    parser.add_argument("--urls", type=float)
    parser.add_argument("--workers", type=int, default=4, help="of a machine: its cores (default: 4)")
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--post", choices=("unix", "tcp", "ray"), default="tcp")
    parser.add_argument("--pairs", choices=("workers", "partitions"), default="workers")
    parser.add_argument("--interval", type=float, help="seconds (default: max(2, workers / 32))")
    parser.add_argument("--reports", type=float, help="seconds between two of a worker (default: the interval)")
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--mtbf", type=float, default=2_000.0, help="hours until a machine is lost (default: 2000)")
    parser.add_argument(
        "--page-cpu", type=float, default=1e3 * cost("CPU of a page, s"), help="ms (default: %(default)s)"
    )
    record = 1e3 * cost("CPU of a record, sent and taken, s")
    parser.add_argument("--record-cpu", type=float, default=record, help="ms (default: %(default)s)")
    options = parser.parse_args()
    base = Design(1, 1e8, options.workers, options.partitions, options.post, options.pairs, options.delay)
    base = replace(base, interval=options.interval, reports=options.reports)
    base = replace(base, mtbf=3600 * options.mtbf, cpu=options.page_cpu / 1e3, record_cpu=options.record_cpu / 1e3)
    sizes = [options.urls] if options.urls else [1e8, 1e9, 1e10, 1e11]
    machines = [options.machines] if options.machines else [1, 10, 100, 1_000]
    show(row(replace(base, machines=some, urls=urls)) for some in machines for urls in sizes)
    if options.machines is None:
        print()
        show(choices(base), CHOICE_HEADS)


if __name__ == "__main__":
    main()
