"""Which hosts are shown a certificate of ours (--client-cert): those that it is for, and only if they ask for one."""

import ssl
from collections.abc import Set

from minicrawl.crawler.http.logins.places import Place
from minicrawl.crawler.net.addresses import endpoint
from minicrawl.crawler.net.tls import showing
from minicrawl.settings import CrawlSettings


def own_contexts(settings: CrawlSettings, seed_origins: Set[str]) -> dict[tuple[str, int], ssl.SSLContext]:
    """The contexts of TLS connections that are made with a certificate, by host and port; the first given counts.

    Raises SettingError for files that hold no certificate with its key.
    """
    found: dict[tuple[str, int], ssl.SSLContext] = {}
    for given in settings.client_certificates:
        context = showing(given.file, given.key, settings.ca_file)
        place = None if given.host is None else Place(given.host, "--client-cert")
        origins = seed_origins if place is None else place.of(seed_origins)
        endpoints = set() if place is None else place.endpoints()
        endpoints |= {endpoint(f"{origin}/") for origin in origins if origin.startswith("https://")}
        for one in endpoints:
            found.setdefault(one, context)
    return found
