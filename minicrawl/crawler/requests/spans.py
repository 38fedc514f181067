"""OpenTelemetry spans for requests (extra `otel`), set up by the standard variables of the environment."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from minicrawl import log
from minicrawl.crawler.requests.request import Request

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


class Spans:
    """Makes a span of every request."""

    def __init__(self, tracer: "Tracer") -> None:
        self._tracer = tracer

    @contextmanager
    def of(self, request: Request) -> Iterator[None]:
        """A span around sending a request: with the URL, and then the status and bytes, or the reason of a failure."""
        from opentelemetry.trace import SpanKind, StatusCode  # noqa: PLC0415 - an extra

        given = {"http.request.method": "GET", "url.full": request.url}
        with self._tracer.start_as_current_span("GET", kind=SpanKind.CLIENT, attributes=given) as span:
            yield
            fetched = request.fetched
            if fetched.status is None:
                span.set_attribute("error.type", fetched.reason or "")
                span.set_status(StatusCode.ERROR)
            else:
                span.set_attribute("network.protocol.version", "2" if fetched.is_http2 else "1.1")
                span.set_attribute("http.response.status_code", fetched.status)
                span.set_attribute("http.response.body.size", fetched.size)


def spans() -> Spans | None:
    """Spans for the tracer provider of this program, or for the exporters named by OTEL_TRACES_EXPORTER; else None."""
    names = os.environ.get("OTEL_TRACES_EXPORTER") or ("otlp" if any(map(os.environ.get, _ENDPOINTS)) else "none")
    is_instrumented = "opentelemetry.sdk.trace" in sys.modules
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or (names == "none" and not is_instrumented):
        return None
    try:
        from importlib.metadata import entry_points  # noqa: PLC0415 - takes long to load

        from opentelemetry import trace  # noqa: PLC0415 - an extra
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

        provider = trace.get_tracer_provider()
        if not isinstance(provider, TracerProvider):
            if names == "none":
                return None
            provider = TracerProvider()
            for name in names.split(","):
                (found,) = entry_points(group="opentelemetry_traces_exporter", name=name.strip())
                provider.add_span_processor(BatchSpanProcessor(found.load()()))
            trace.set_tracer_provider(provider)
    except (ImportError, ValueError) as error:
        log.spans_not_sent(exporters=names, why=str(error))
        return None
    return Spans(provider.get_tracer("minicrawl"))
