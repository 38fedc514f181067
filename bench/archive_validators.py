"""What other programs find wrong with an archive, and whether pywb replays it.

    python bench/archive_validators.py ARCHIVE TOOLS [PYWB [CAPTURES]]

TOOLS: the folder bin of an environment with warcio and fastwarc; PYWB: of one with pywb, which is asked for CAPTURES
(1,000) answers drawn at random, as they came (id_). What comes is compared with the record: status, and every byte of
the body. Redirects to a URL with the same key are counted by themselves: pywb takes these for the answer they lead to.
"""

import http.client
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from urllib.parse import urljoin

from minicrawl.archive.cdxj import Captured, surt
from minicrawl.archive.check import check
from minicrawl.archive.collection import Collection, files
from minicrawl.archive.reading import Record
from minicrawl.crawler.http.answer_reader import AnswerReader
from minicrawl.crawler.http.response_fields import ResponseFields

PATIENCE = 60.0


def validate(archive: Path, tools: Path) -> None:
    """Let warcio and fastwarc look at every file."""
    for path in files(archive):
        for command in (["warcio", "check"], ["fastwarc", "check"]):
            began = time.monotonic()
            done = subprocess.run([tools / command[0], *command[1:], path], check=False, capture_output=True, text=True)
            said = [line for line in done.stdout.splitlines() if line.strip()]
            print(
                f"{' '.join(command):<15} {path.name}: exit code {done.returncode}, {time.monotonic() - began:.1f} s"
                f"{'; ' if said else ''}{'; '.join(said[-3:])}",
                flush=True,
            )
    with closing(Collection(archive)) as collection:
        found = check(collection, deep=True)
    print(f"our own: {found.records:,} records, {found.answers:,} answers, {len(found.wrong)} findings")
    for sentence in found.wrong[:5]:
        print("  ", sentence)


def is_folded(captured: Captured, record: Record) -> bool:
    """Whether an answer leads to a URL with the same key."""
    answer = AnswerReader()
    answer.feed(record.head)
    location = ResponseFields(answer.fields).location
    return location is not None and surt(urljoin(captured.url, location)) == surt(captured.url)


def replayed(port: int, captured: Captured) -> tuple[int, bytes]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request(
            "GET", f"/kept/{captured.stamp}id_/{captured.url}", headers={"Accept-Encoding": "gzip, br, deflate"}
        )
        answer = connection.getresponse()
        return answer.status, answer.read()


def replay(archive: Path, pywb: Path, wanted: int) -> None:
    """Ask pywb for random answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder, closing(Collection(archive)) as collection:
        (Path(folder) / "collections").mkdir()
        (Path(folder) / "collections/kept").symlink_to(archive.resolve())
        command = [str(pywb / "wayback"), "-b", "127.0.0.1", "-p", str(port)]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            compare(collection, port, wanted)
        finally:
            server.terminate()
            server.wait()


def compare(collection: Collection, port: int, wanted: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
            break
        except OSError:
            time.sleep(0.2)
    everything = list(collection)
    sample = random.Random(7).sample(everything, min(wanted, len(everything)))
    equal, other, folded = Counter[int](), list[str](), 0
    for one in sample:
        record, body = collection.answer(one)
        try:
            status, got = replayed(port, one)
        except OSError as error:
            status, got = 0, str(error).encode()
        if (status, got) == (record.status, body):
            equal[status] += 1
        elif is_folded(one, record):
            folded += 1
        else:
            other.append(f"{one.url} of {one.stamp}: {record.status}, {len(body)} bytes; pywb {status}, {len(got)}")
    by_status = ", ".join(f"{number} x {status}" for status, number in equal.items())
    print(f"pywb: {len(sample):,} answers, {equal.total():,} equal ({by_status})")
    print(f"      {folded} redirects to the same key, {len(other)} otherwise")
    print("\n".join(f"   {line}" for line in other[:10]))


if __name__ == "__main__":
    validate(Path(sys.argv[1]), Path(sys.argv[2]))
    if len(sys.argv) > 3:
        replay(Path(sys.argv[1]), Path(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 1_000)
