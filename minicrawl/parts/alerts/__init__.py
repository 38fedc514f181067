"""Messages to somebody who does not look, by a command, or to services by the library Apprise (--run, --notify); and
what they are told of a crawl: events of its log."""

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from minicrawl import installed, log
from minicrawl.errors import SettingError
from minicrawl.parts.part import Part
from minicrawl.system import put_in_place

TOLD = (
    *("crawl-ended", "crawl-stalled", "outage-began", "outage-over", "host-gone", "disk-short", "disk-enough"),
    *("proxy-failed", "proxy-works", "partition-failed"),
)
"""Events of a crawl that somebody is told of."""
_SECONDS = 60.0
"""For a command."""
Message = Mapping[str, object]
"""An event as a JSON object: its name, sentence and keys, and when it was."""
Way = Callable[[Message], str | None]
"""Sends a message. Returns why that failed, or None."""


class Alerts(Part):
    """Has no step: who commands a crawl is told of it."""


@contextmanager
def telling(services: Sequence[str], command_line: str, kept: Path, warn: Callable[[str], None]) -> Iterator[None]:
    """Tell services and a command of the events of a crawl during the block, which ends once each was sent or has
    failed. kept: the file of messages that were not sent. warn: gets why. Raises SettingError."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - every command loads all parts

    if services:
        check_services(services)
    ways: dict[str, Way] = {f"notify {at}": partial(_notify_of, url) for at, url in enumerate(services)}
    if command := parsed_command(command_line):
        ways["run"] = partial(run_command, command)
    messages = _Messages(kept, ways, warn)
    with ThreadPoolExecutor(1) as pool, log.following(TOLD, lambda *event: pool.submit(messages.send, *event)):
        pool.submit(messages.send_waiting)  # those of the run before
        yield


class _Messages:
    """Messages to somebody who may not be reached at once: what was not sent waits in a file, and is sent with the
    next, or by the next run."""

    def __init__(self, file: Path, ways: Mapping[str, Way], warn: Callable[[str], None]) -> None:
        self._file, self._ways, self._warn = file, ways, warn
        try:
            lines = file.read_text("utf-8").splitlines() if file.exists() else []
            self._waiting: list[tuple[str, Message]] = [(way, message) for way, message in map(json.loads, lines)]
        except (OSError, ValueError) as error:
            raise SettingError(f"{file}, with messages not sent yet, cannot be read: {error}; remove it") from error

    def send(self, name: str, sentence: str, keys: Mapping[str, object]) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        message = {"event": name, "message": sentence, "at": at, **keys}
        self._waiting += [(way, message) for way in self._ways]
        self.send_waiting()

    def send_waiting(self) -> None:
        """Send what waits. A way that fails is tried with no other message."""
        failed = set[str]()
        self._keep()  # a kill while they are sent loses none
        for way, message in list(self._waiting):
            if way not in self._ways or way in failed:
                continue
            if (why := self._ways[way](message)) is None:
                self._waiting.remove((way, message))
                self._keep()
            else:
                failed.add(way)
                self._warn(f"a message was not sent, and will be sent with the next: {why}")

    def _keep(self) -> None:
        try:
            if not self._waiting:
                self._file.unlink(missing_ok=True)
                return
            new = self._file.with_name(f"{self._file.name}.new")
            with put_in_place(new, self._file):
                new.write_text("".join(f"{json.dumps(each)}\n" for each in self._waiting), "utf-8")
        except OSError as error:
            self._warn(f"messages that were not sent are lost with this run: {self._file}: {error.strerror}")


def _notify_of(url: str, message: Message) -> str | None:
    return notify(url, f"minicrawl: {message['event']}", f"{message['message']} ({message['at']})")


def parsed_command(line: str) -> list[str]:
    """The words of a command. Raises SettingError."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise SettingError(f"--run {line!r} is no command: {error}") from error


def run_command(command: Sequence[str], message: Message) -> str | None:
    """Call a command with a message as a line of JSON on its standard input. Returns why that failed, or None."""
    import subprocess  # noqa: PLC0415 - every command loads all parts

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


def notify(url: str, title: str, body: str) -> str | None:
    """Send a message to a service. Returns why that failed, without its address, which may hold a password; or None."""
    import apprise  # noqa: PLC0415 - an extra

    service = apprise.Apprise()
    is_sent = service.add(url) and service.notify(body=body, title=title)
    return None if is_sent else f"{masked(url)} refused it"


def check_services(urls: Sequence[str]) -> None:
    """Raise SettingError for an address that names no service, or without the library."""
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
