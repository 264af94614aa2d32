"""What is counted of requests: by route and status, never by who asked or what."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

_METHODS = ("GET", "HEAD", "POST", "DELETE")


class Metrics:
    """Counters of one server, as Prometheus reads them."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        what = ("answerable_requests", "Requests by route and status; 0: left before it was answered")
        self._requests = Counter(*what, ["method", "route", "status"], registry=self._registry)
        what = ("answerable_request_seconds", "Seconds to answer a request")
        self._seconds = Histogram(*what, ["route"], registry=self._registry)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request."""
        self._requests.labels(method if method in _METHODS else "other", route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """All of them, in the text format of Prometheus."""
        return generate_latest(self._registry)
