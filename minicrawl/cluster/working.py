"""Which settings of a crawl work in partitions. What others ask for would hold in each by itself, if at all."""

from minicrawl.errors import SettingError
from minicrawl.settings import SETTINGS, CrawlSettings, option
from minicrawl.system import has_local_sockets, passes_sockets

WORKING = (
    *("pages", "time", "bytes", "until_coverage", "host_pages", "max_depth", "host_max_depth"),
    *("scope", "allow", "deny", "html_only", "sitemaps", "traps", "keep_parameters", "probe", "surfer"),
    *("delay", "host_delay", "ip_delay", "per_host", "concurrency", "ignore_robots", "contact", "user_agent", "header"),
    *("proxy", "connect_to", "ca_file", "allow_private", "timeout", "max_size"),
    *("text", "archive", "archive_size", "archive_types", "archive_noarchive", "dedup"),
)
"""All others must have their defaults."""


def refusal(name: str) -> SettingError:
    """What is said of a setting that does not work in partitions."""
    return SettingError(
        f"{option(name)} does not work in partitions yet; leave it out, or let one process crawl: minicrawl crawl"
    )


def check_working(settings: CrawlSettings, partitions: int) -> None:
    """Raise SettingError for what does not work in so many partitions."""
    if not (passes_sockets() and has_local_sockets()):
        raise SettingError("partitions need Linux or macOS; here a crawl runs in one process: minicrawl crawl")
    for name, setting in SETTINGS.items():
        if name not in WORKING and getattr(settings, name) != setting.of(setting.default):
            raise refusal(name)
    if settings.concurrency < partitions:
        raise SettingError(
            f"--concurrency {settings.concurrency} is less than one request for each of {partitions} partitions; "
            "give more of it"
        )
