"""Time limits and intervals: one frozen value that is passed in, so that no test has to wait.

User settings are in minicrawl.settings; limits set by standards are beside their rules, such as the day for which a
robots.txt holds.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Seconds, all of them but `looks_apart` and `links_at_once`.

    connect, read    limit for making a connection; for the next bytes of an answer
    keep_alive       lifetime of an idle connection
    look_up          limit for one DNS query, in all
    name             lifetime of its answer
    no_name          lifetime of a negative answer, and of a stale answer while the name server fails (RFC 8767)
    no_name_server   lifetime of a name server's failure (RFC 9520 3.2): at most a page's wait between two tries
    retry            between the first two tries of a page; then four times as long
    proxy            until a page is retried whose proxy could not be used
    robots_retry     between the first two tries of a robots.txt; then twice as long each time
    on_its_way       longest transit of a request to its host; times the delay where that is more than a second
    attempt          wait of an attempt while too many are under way
    soon             after which an attempt no longer counts among the pages that a crawl is to fetch
    full             wait of a host for which too many files were open
    first_pause, longest_pause       between two checks, see crawler/requests/outage_watch.py
    undecided        until a request held in doubt counts as failed, see there
    batch            longest time between two commits
    quiet            the same, if it is longer, while no request is in flight, and no request has ended and no
                     change was made since the last commit but one
    lease            after a commit, within which requests may be sent
    paused           longest wait of a crawl that is paused, or out of work
    idle             without an answer, after which the crawl does background work
    progress         between two progress reports; at least `looks_apart` times the time that a report takes
    links_at_once    links processed, in some tens of ms, before sockets and timers are served; larger answers are
                     processed in the background
    stalled          without a well host, after which a crawl that waits for ill ones is stalled
    in_children      after a stop, until pages that wait for a child, such as for hooks, are left for the next run
    beat, hang       interval of a worker's heartbeat; silence after which it hangs. A process for large pages hangs
                     when its CPU clock stands still for `hang`
    start            added to `hang` while it starts
    parse            CPU time allowed for parsing a large page
    spare            lifetime of an idle process for large pages
    hook             CPU time that a call of a hook may take; it may wait as long without any
    render           for a page to get ready, without the time for which its requests wait for their turn
    """

    connect: float = 10.0
    read: float = 20.0
    keep_alive: float = 30.0
    look_up: float = 5.0
    name: float = 600.0
    no_name: float = 60.0
    no_name_server: float = 5.0
    retry: float = 5.0
    proxy: float = 10.0
    robots_retry: float = 10.0
    on_its_way: float = 0.04
    attempt: float = 1.0
    soon: float = 0.25
    full: float = 1.0
    first_pause: float = 1.0
    longest_pause: float = 60.0
    undecided: float = 60.0
    batch: float = 1.0
    quiet: float = 0.0
    lease: float = 2.0
    paused: float = 60.0
    idle: float = 0.02
    progress: float = 0.5
    looks_apart: float = 20.0
    links_at_once: int = 1_000
    stalled: float = 300.0
    in_children: float = 5.0
    beat: float = 5.0
    hang: float = 60.0
    start: float = 60.0
    parse: float = 30.0
    spare: float = 30.0
    hook: float = 60.0
    render: float = 10.0


STANDARD = Timing()
