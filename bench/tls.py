"""What TLS costs a crawl: CPU and memory beside those of the same crawl over plain HTTP.

    HOSTS=160 PAGES=6000 ROUNDS=2 python bench/tls.py [any option of 'minicrawl crawl' but --store, --pages ...]

A server process answers for all hosts on loopback addresses: pages of 26 kB with 70 links, ten of them to other hosts.
Every host has a certificate of its own, by an intermediate authority under one made here (needs the openssl command).
The crawls take turns, so that what else the machine does falls on both.

handshakes, resumed    of a crawl, as the server counts them
"""

import asyncio
import contextlib
import os
import random
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

_HOSTS = int(os.environ.get("HOSTS", "160"))
_PAGES = os.environ.get("PAGES", "6000")
_ROUNDS = int(os.environ.get("ROUNDS", "2"))
_OPTIONS = ["--allow-private", "--delay", "0", "--per-host", "16", "--no-probe", "-q"]
_WORDS = [f"{first}{second}" for first in ("ba", "de", "fi", "lo", "mu", "ra", "se") for second in ("n", "res", "tal")]
_PAGES_PER_HOST = 100
_LETTERS = 22_000


def _host(number: int) -> str:
    return f"site{number}.test"


def _address(number: int) -> str:
    return f"127.1.{number // 250}.{number % 250 + 1}" if sys.platform == "linux" else "127.0.0.1"


# The web.


def _page(scheme: str, host: int, page: int) -> bytes:
    """The same page for the same numbers, whoever asks."""
    draw = random.Random(host * _PAGES_PER_HOST + page)
    links = [f"/{int(draw.random() ** 2 * _PAGES_PER_HOST)}" for _ in range(60)]
    links += [f"{scheme}://{_host(draw.randrange(_HOSTS))}/{draw.randrange(20)}" for _ in range(10)]
    words = draw.choices(_WORDS, k=200)
    text = " ".join(words) * (_LETTERS // 1000)
    anchors = "".join(f'<li class="item"><a href="{link}">{words[0]}</a></li>' for link in links)
    return f"<!DOCTYPE html><title>{host} {page}</title><p>{text}</p><ul>{anchors}</ul>".encode()


async def _serve(directory: Path) -> None:
    handshakes, resumed = 0, 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal handshakes, resumed
        shaken: Any = writer.get_extra_info("ssl_object")
        scheme = "http" if shaken is None else "https"
        if shaken is not None:
            handshakes += 1
            resumed += shaken.session_reused
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                path = head[0].split(" ")[1]
                host = next(line[6:] for line in head if line.lower().startswith("host: ")).split(".")[0][4:]
                if path == "/handshakes":
                    body, (handshakes, resumed) = f"{handshakes} {resumed}".encode(), (0, 0)
                else:
                    body = _page(scheme, int(host), int(path[1:])) if path[1:].isdigit() else b""
                status = b"200 OK" if body else b"404 Not Found"
                writer.write(
                    b"HTTP/1.1 %b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n%b"
                    % (status, len(body), body)
                )
        writer.transport.abort()

    contexts = {}
    for number in range(_HOSTS):
        context = contexts[_host(number)] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(directory / f"{number}.pem", directory / "key.pem")

    def choose(connection: ssl.SSLObject, name: str, _: ssl.SSLContext) -> None:
        connection.context = contexts.get(name, connection.context)

    first = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    first.load_cert_chain(directory / "0.pem", directory / "key.pem")
    first.sni_callback = choose
    plain = await asyncio.start_server(talk, "0.0.0.0", 0, backlog=1000)
    secure = await asyncio.start_server(talk, "0.0.0.0", 0, backlog=1000, ssl=first)
    print(*(server.sockets[0].getsockname()[1] for server in (plain, secure)), flush=True)
    await asyncio.Event().wait()


# The certificates.


def _certify(directory: Path) -> None:
    def run(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True)

    authority = "basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign"
    (directory / "authority.cnf").write_text(authority)
    run("genrsa", "-out", "ca.key", "2048")
    run("req", "-x509", "-key", "ca.key", "-days", "2", "-subj", "/CN=root", "-out", "ca.pem")
    run("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "between.key", "-subj", "/CN=between", "-out", "between.csr")
    signed = ["-days", "2", "-CAcreateserial", "-sha256"]
    by_root = ["-CA", "ca.pem", "-CAkey", "ca.key", "-extfile", "authority.cnf"]
    run("x509", "-req", "-in", "between.csr", *by_root, *signed, "-out", "between.pem")
    run("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "key.pem")
    run("req", "-new", "-key", "key.pem", "-subj", "/CN=site", "-out", "site.csr")
    for number in range(_HOSTS):
        (directory / "site.cnf").write_text(f"subjectAltName=DNS:{_host(number)},DNS:www.{_host(number)}")
        by_between = ["-CA", "between.pem", "-CAkey", "between.key", "-extfile", "site.cnf"]
        run("x509", "-req", "-in", "site.csr", *by_between, *signed, "-out", "site.pem")
        chain = (directory / "site.pem").read_text() + (directory / "between.pem").read_text()
        (directory / f"{number}.pem").write_text(chain)


# The crawls.


def _crawl(directory: Path, scheme: str, port: int, options: list[str]) -> tuple[float, float, float]:
    """Seconds of CPU and of the clock, and MB at the most."""
    seeds, routes = directory / "seeds.txt", directory / "routes.txt"
    seeds.write_text("".join(f"{scheme}://{_host(number)}/0\n" for number in range(_HOSTS)))
    routes.write_text("".join(f"{_host(number)}::{_address(number)}:{port}\n" for number in range(_HOSTS)))
    command = [sys.executable, "-m", "minicrawl", "crawl", str(seeds), "--connect-to", f"@{routes}", *_OPTIONS]
    command += ["--pages", _PAGES, "--ca-file", str(directory / "ca.pem"), *options]
    with tempfile.TemporaryDirectory() as scratch:
        started = time.monotonic()
        crawl = subprocess.Popen([*command, "--store", f"{scratch}/crawl.db"], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(crawl.pid, 0)
        crawl.returncode = os.waitstatus_to_exitcode(status)
    if crawl.returncode:
        sys.exit("the crawl has failed")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return used.ru_utime + used.ru_stime, time.monotonic() - started, used.ru_maxrss / unit


@contextlib.contextmanager
def _server(directory: Path) -> Iterator[tuple[int, int]]:
    process = subprocess.Popen([sys.executable, __file__, "serve", str(directory)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        plain, secure = map(int, process.stdout.readline().split())
        yield plain, secure
    finally:
        process.kill()
        process.wait()


def _counted(port: int) -> str:
    """Handshakes since this was asked last, and how many of them were resumed."""
    return httpx.get(f"http://127.0.0.1:{port}/handshakes", headers={"Host": _host(0)}).text


def main(options: list[str]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        _certify(directory)
        with _server(directory) as (plain, secure):
            ratios = []
            print("        CPU s  seconds  MB    handshakes, resumed")
            for _ in range(_ROUNDS):
                cpu, seconds, most = _crawl(directory, "http", plain, options)
                print(f"plain  {cpu:6.2f} {seconds:8.2f} {most:5.0f}")
                tls_cpu, seconds, most = _crawl(directory, "https", secure, options)
                print(f"TLS    {tls_cpu:6.2f} {seconds:8.2f} {most:5.0f}    {_counted(plain)}")
                ratios.append(tls_cpu / cpu)
            print(f"TLS takes {statistics.median(ratios) - 1:+.0%} of CPU")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(_serve(Path(sys.argv[2])))
    else:
        main(sys.argv[1:])
