"""What hosts that never answer cost those that do.

    SILENT=0,100,1000 python bench/silent.py [any option of 'minicrawl crawl' but --store and --pages]

20 hosts with 25 pages each answer within 50 ms; beside them, and before them in the list of seeds, are hosts that take
a connection and say nothing, and such as do not even take one. All are on loopback, one address each.

seconds    until all pages of the hosts that answer are read
"""

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_SILENT = [int(number) for number in os.environ.get("SILENT", "0,100,1000").split(",")]
_GOOD, _PAGES = 20, 25
_LATENCY = 0.05


async def _talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            page = head.split(b" ")[1][1:]
            await asyncio.sleep(_LATENCY)
            is_page = page.isdigit() and int(page) < _PAGES
            body = b"<title>%b</title>" % page + b"".join(b"<a href=/%d>x</a>" % number for number in range(_PAGES))
            head = b"HTTP/1.1 %b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
            writer.write(head % (b"200 OK" if is_page else b"404 Not Found", len(body)) + body)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _serve() -> None:
    good = await asyncio.start_server(_talk, "0.0.0.0", 0, backlog=1000)
    silent = _listening(4096)  # the system takes connections, and nobody ever looks at them
    deaf = _listening(0)  # whose queue is full at once, so that nobody else gets a connection
    print(*(server.getsockname()[1] for server in (good.sockets[0], silent, deaf)), flush=True)
    await asyncio.Event().wait()


def _listening(queue: int) -> socket.socket:
    listener = socket.socket()
    listener.bind(("0.0.0.0", 0))
    listener.listen(queue)
    return listener


def _crawl(directory: Path, silent: int, ports: list[int], options: list[str]) -> float:
    seeds, routes = directory / "seeds.txt", directory / "routes.txt"
    good_port, silent_port, deaf_port = ports
    names = [(f"silent{number}.test", (silent_port, deaf_port)[number % 2]) for number in range(silent)]
    names += [(f"good{number}.test", good_port) for number in range(_GOOD)]
    seeds.write_text("".join(f"http://{name}/0\n" for name, _ in names))
    routes.write_text(
        "".join(
            f"{name}::127.2.{number // 250}.{number % 250 + 1}:{port}\n" for number, (name, port) in enumerate(names)
        )
    )
    command = ["crawl", str(seeds), "--connect-to", f"@{routes}", "--allow-private", "--no-probe", "-q"]
    command += [
        "--delay",
        "0.1",
        "--pages",
        str(_GOOD * _PAGES),
        "--store",
        str(directory / f"{silent}.db"),
        "--no-progress",
        *options,
    ]
    started = time.monotonic()
    subprocess.run([sys.executable, "-m", "minicrawl", *command], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - started


def main(options: list[str]) -> None:
    server = subprocess.Popen([sys.executable, __file__, "serve"], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        ports = [int(port) for port in server.stdout.readline().split()]
        alone = None
        with tempfile.TemporaryDirectory() as directory:
            for silent in _SILENT:
                seconds = _crawl(Path(directory), silent, ports, options)
                alone = alone or seconds
                print(f"{silent:5} silent hosts: {seconds:6.2f} s  {seconds / alone - 1:+.0%}", flush=True)
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(_serve())
    else:
        main(sys.argv[1:])
