"""Messages between the processes of a crawl in partitions: number, rows, records and bytes, and the CPU of the crawl.

    python bench/messages.py seeds.txt --partitions 4 --store /tmp/x4 --pages 5000 ...

The arguments are those of `minicrawl crawl`. Every process of the crawl notes each message that it sends, in a file of
its own. A row holds the records of one commit for one partition; a record is a URL that another partition reads, with
what its links carry. `new`: records of URLs that their home may not know yet. `waited`: seconds until messages were
confirmed, one after the other. To note all this takes CPU, too, and so does each process that the crawl starts.
"""

import atexit
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

NOTES = "MINICRAWL_BENCH_NOTES"
"""The variable that names the folder of the notes, in processes of a crawl that is measured."""


def note() -> None:
    """Count the messages that this process sends; write the counts when it ends."""
    from minicrawl.cluster.running.post import Parcel, SocketPost  # noqa: PLC0415 - slow, and not needed by the caller
    from minicrawl.control.messages import Message  # noqa: PLC0415
    from minicrawl.store.partitions.records import from_bytes  # noqa: PLC0415

    sent: dict[str, float] = defaultdict(float)
    carry = SocketPost.carry

    async def noting(post: SocketPost, parcels: Sequence[Parcel]) -> Sequence[Message]:
        rows = [row for parcel in parcels for row in parcel.rows]
        records = [from_bytes(row.records) for row in rows]
        sent["messages"] += 1
        sent["rows"] += len(rows)
        sent["bytes"] += sum(len(row.records) for row in rows)
        sent["records"] += sum(len(some.urls) for some in records)
        sent["new"] += sum(1 for some in records for page in some.found_on if page)
        began = time.monotonic()
        answers = await carry(post, parcels)
        sent["waited"] += time.monotonic() - began
        return answers

    SocketPost.carry = noting  # type: ignore[assignment, method-assign]
    file = Path(os.environ[NOTES]) / f"{os.getpid()}.json"
    atexit.register(lambda: file.write_text(json.dumps(sent)))


def measured(arguments: Sequence[str]) -> dict[str, float]:
    """Run the crawl. Returns the sums of all its processes, its CPU in `cpu` and its duration in `seconds`."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sitecustomize.py").write_text("import messages\n\nmessages.note()\n")
        path = os.pathsep.join([folder, str(Path(__file__).parent)])
        began = time.monotonic()
        command = [sys.executable, "-m", "minicrawl", "crawl", *arguments]
        environment = {**os.environ, "PYTHONPATH": path, NOTES: folder}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - began
        sums: dict[str, float] = defaultdict(float)
        for file in Path(folder).glob("*.json"):
            for name, value in json.loads(file.read_text()).items():
                sums[name] += value
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {**sums, "cpu": used.ru_utime + used.ru_stime, "seconds": seconds}


if __name__ == "__main__":
    for name, value in measured(sys.argv[1:]).items():
        print(f"{name:<10}{value:>14,.1f}")
