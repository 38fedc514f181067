"""What it costs to steer a running crawl: how long a command takes, and the CPU that the crawl spends on one.

    python bench/control.py STORE [COMMANDS]

STORE is that of a crawl that runs, started by 'minicrawl crawl'; its concurrency is set to 63 and 64 in turn, and it is
paused for a while. Prints, in ms: from a status asked for to its answer; from a setting sent to the answer that it is
in the store; and of the crawl's CPU for one status, while it is paused.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import quantiles

from minicrawl.control.messages import Message, answer_of, line_of, message_of
from minicrawl.control.socket_files import connected


def main(store: Path, commands: int) -> None:
    line = connected(store, 60)
    assert line is not None, "no crawl runs on that store"
    with closing(line), line.makefile("rb") as answers:

        def ask(message: Message) -> Message:
            line.sendall(line_of(message))
            return answer_of(message_of(answers.readline()))

        def milliseconds(messages: Iterator[Message]) -> list[float]:
            taken = []
            for message in messages:
                began = time.perf_counter()
                ask(message)
                taken.append(1000 * (time.perf_counter() - began))
                time.sleep(0.01)
            return taken

        status: Message = {"do": "status"}
        show("status", milliseconds(status for _ in range(commands)))
        settings = ({"do": "set", "settings": {"concurrency": 63 + number % 2}} for number in range(commands))
        show("a setting, in the store", milliseconds(settings))
        ask({"do": "pause"})
        time.sleep(5)  # what was in flight is taken in, but for hosts that say nothing
        before = ask(status)["cpu"]
        for _ in range(1000):
            ask(status)
        print(f"the crawl's CPU for one status: {ask(status)['cpu'] - before:.3f} ms")  # s for 1,000 of them
        ask({"do": "resume"})


def show(what: str, milliseconds: list[float]) -> None:
    cuts = quantiles(milliseconds, n=100)
    print(f"{what}: median {cuts[49]:.1f} ms, p99 {cuts[98]:.1f} ms, most {max(milliseconds):.1f} ms")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200)
