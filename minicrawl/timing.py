"""Time limits and intervals: one frozen value that is passed in, so that no test has to wait.

Settings of users are in minicrawl.settings; limits of standards stand with their rules, such as the day for which a
robots.txt holds.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Seconds, all of them but `looks_apart` and `links_at_once`.

    connect, read    until a connection is made; until more of an answer comes
    keep_alive       for which a connection is kept that nobody uses
    look_up          of one question to the name server, in all
    name             for which its answer holds
    no_name          for which it holds that there is no such name, and an old answer where the name server fails
                     (RFC 8767)
    no_name_server   for which it holds that the name server fails (RFC 9520 3.2): no longer than a page waits between
                     two tries
    retry            between the first two tries of a page; then four times as long
    proxy            until a page is asked for again whose proxy could not be used
    found_nothing    until a page at which nothing was found is asked for again, where pages are read again at all
    robots_retry     between the first two tries of a robots.txt; then twice as long each time
    least_backoff, longest_backoff   of a host in trouble, see minicrawl.crawler.hosts.politeness
    on_its_way       that a request takes to its host at most; with a delay of more than a second, that many times it
    attempt          for which an errand waits that is an attempt, where too many such are under way
    soon             after which an attempt no longer counts among the pages that a crawl is to fetch
    full             for which a host waits for which there was no room among the open files
    first_pause, longest_pause       between two checks, see minicrawl.crawler.hosts.outage
    patience         after which what is held in doubt has failed, see there
    batch            of turns in one commit
    lease            after a commit within which requests may leave
    paused           between two looks at a crawl that is paused
    idle             without an answer, after which the crawl finds itself something to do
    progress         between two looks at the crawl; but `looks_apart` times as long as a look takes, at least
    links_at_once    are taken in, some tens of ms, before sockets and timers are attended to; an answer with more of
                     them is taken in beside that
    beat, hang       a worker process is to be heard so often; if it is not for so long, it hangs; a process for large
                     pages hangs when its CPU clock stands still for so long
    start            more, while it starts
    parse            of CPU time that a large page may take to be parsed
    spare            for which a process for large pages is kept that has none
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
    found_nothing: float = 86_400.0
    robots_retry: float = 10.0
    least_backoff: float = 1.0
    longest_backoff: float = 300.0
    on_its_way: float = 0.04
    attempt: float = 1.0
    soon: float = 0.25
    full: float = 1.0
    first_pause: float = 1.0
    longest_pause: float = 60.0
    patience: float = 60.0
    batch: float = 0.5
    lease: float = 2.0
    paused: float = 60.0
    idle: float = 0.02
    progress: float = 0.5
    looks_apart: float = 20.0
    links_at_once: int = 1_000
    beat: float = 5.0
    hang: float = 60.0
    start: float = 60.0
    parse: float = 30.0
    spare: float = 30.0


STANDARD = Timing()
