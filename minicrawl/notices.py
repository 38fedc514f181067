"""Messages to somebody who does not look, by a command, or to services by the library Apprise; and what they are told
of a crawl: events of its log."""

import json
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from minicrawl import installed, log
from minicrawl.errors import SettingError

TOLD = (
    *("crawl-ended", "outage-began", "outage-over", "host-gone", "disk-short", "disk-enough"),
    *("proxy-failed", "proxy-works", "partition-failed"),
)
"""Events of a crawl that somebody is told of."""
_SECONDS = 60.0
"""For a command."""


@contextmanager
def telling(services: Sequence[str], command_line: str, warn: Callable[[str], None]) -> Iterator[None]:
    """Tell services and a command of the events of a crawl during the block, which ends once all are told. warn: gets
    why a message was not sent. Raises SettingError."""
    check_services(services)
    command = parsed_command(command_line)

    def send(name: str, sentence: str, keys: Mapping[str, object]) -> None:
        message = {"event": name, "message": sentence, **keys}
        by_service = notify(services, f"minicrawl: {name}", sentence) if services else None
        by_command = run_command(command, message) if command else None
        for why in filter(None, (by_service, by_command)):
            warn(f"a message was not sent: {why}")

    with ThreadPoolExecutor(1) as pool, log.following(TOLD, lambda *event: pool.submit(send, *event)):
        yield


def parsed_command(line: str) -> list[str]:
    """The words of a command. Raises SettingError."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise SettingError(f"--run {line!r} is no command: {error}") from error


def run_command(command: Sequence[str], message: Mapping[str, object]) -> str | None:
    """Call a command with a message as a line of JSON on its standard input. Returns why that failed, or None."""
    try:
        line = f"{json.dumps(message)}\n".encode()
        subprocess.run(command, input=line, stdout=2, timeout=_SECONDS, check=True, start_new_session=True)
    except subprocess.CalledProcessError as error:
        return f"{command[0]} ended with {error.returncode}"
    except subprocess.TimeoutExpired:
        return f"{command[0]} took longer than {_SECONDS:.0f} seconds"
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    return None


def notify(urls: Sequence[str], title: str, body: str) -> str | None:
    """Send a message to services. Returns why one failed, without its address, which may hold a password; or None."""
    import apprise  # noqa: PLC0415 - an extra

    for url in urls:
        service = apprise.Apprise()
        if not service.add(url) or not service.notify(body=body, title=title):
            return f"{masked(url)} refused it"
    return None


def check_services(urls: Sequence[str]) -> None:
    """Raise SettingError for an address that names no service, or without the library."""
    if not urls:
        return
    try:
        import apprise  # noqa: PLC0415
    except ImportError as error:
        raise SettingError(f"--notify needs apprise; run: {installed.adding('notify')}") from error
    for url in urls:
        if not apprise.Apprise().add(url):
            raise SettingError(
                f"--notify {masked(url)!r} is not a URL that Apprise knows, such as mailto://NAME:PASSWORD@HOST"
            )


def masked(url: str) -> str:
    """The address of a service without what may be secret in it."""
    scheme, sign, rest = url.partition("://")
    host = rest.rpartition("@")[2].partition("/")[0].partition("?")[0]
    return f"{scheme}{sign}{'***@' if '@' in rest else ''}{host}"
