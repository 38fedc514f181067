"""Spans of requests: with status, bytes and reasons, of a real server; and none without the environment's word."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.http2_server import PEM, Http2Server, in_a_thread
from support.small_web import small_web

CRAWL = """
import sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
import json, minicrawl
memory, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(memory))
trace.set_tracer_provider(provider)
port, http2, ca_file, store = sys.argv[1:]
seeds, connect_to = ["http://a.test/", "http://127.0.0.1:2/", "https://h.test/"], [f"a.test:80:127.0.0.1:{port}"]
connect_to.append(f"h.test:443:127.0.0.1:{http2}")
report = minicrawl.crawl(seeds, store, connect_to=connect_to, ca_file=ca_file, allow_private=True, delay=0, pages=6)
print(json.dumps([[span.attributes["url.full"], span.kind.name, span.status.status_code.name, dict(span.attributes),
                   span.end_time - span.start_time] for span in memory.get_finished_spans()]))
"""


def test_every_request_has_a_span(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.sdk")
    server = Http2Server(lambda _: (200, {"content-type": "text/plain"}, b""))
    with small_web() as port, in_a_thread(server):
        command = [sys.executable, "-c", CRAWL, str(port), str(server.port), str(PEM), str(tmp_path / "crawl.db")]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
    found = {url: rest for url, *rest in json.loads(ended.stdout.splitlines()[-1])}
    kind, status, attributes, took = found["http://a.test/"]
    assert (kind, status) == ("CLIENT", "UNSET")
    assert (attributes["http.response.status_code"], attributes["network.protocol.version"]) == (200, "1.1")
    assert found["https://h.test/"][2]["network.protocol.version"] == "2"
    assert attributes["http.response.body.size"] > 100
    assert took > 0
    assert found["http://a.test/robots.txt"][2]["http.response.status_code"] == 404
    assert found["http://127.0.0.1:2/robots.txt"][1] == "ERROR"
    assert found["http://127.0.0.1:2/robots.txt"][2]["error.type"]
