"""A moment of a crawl, to be shown."""

from minicrawl.model import IllHost, InFlightNow, LimitsNow, Progress, Sums

MOMENT = Progress(
    seconds=125.0,
    fetched=1000,
    bytes=12_345_678,
    known=5000,
    never_read=3900,
    hosts_ready=3,
    hosts_waiting=40,
    in_flight=12,
    clock=1.25,
    coverage=0.5,
    coverage_about=0.55,
    coverage_shown=0.6,
    errors={"dns": 3},
    given_up={"dns": 3, "http-404": 12},
    left_out=15_001,
    limits=LimitsNow(pages=4000),
    earlier=Sums(2, 500, 1_000_000, 60.0),
    pages_per_second=8.0,
    requests=(InFlightNow("http://a.test/\x1b[2J" + "x" * 300, 4.0),),
    waiting_for={"delay": 30, "crawl-delay": 8, "ill": 2},
    ill_hosts=(IllHost("c.test", "ill", "busy", "http-429", 0.0, 4, 0.0, 230),),
)

BEST = ((0.02, "http://a.test/\x1b[31m"), *((0.01, f"http://b.test/{'日本/' * 40}{page}") for page in range(9)))
