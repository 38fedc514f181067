"""Which hosts are shown a certificate: on real connections, to servers that ask for one."""

import ssl
import subprocess
from pathlib import Path

import pytest
from support.origins import OWNER, PEM, Asked, Web, crawled, pages

from minicrawl.crawler.http.logins.certificates import own_contexts
from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings


class AskingWeb(Web):
    """Asks for certificates, and notes which origins were shown one. must: those that show none are sent away."""

    def __init__(self, *, must: bool = False) -> None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_verify_locations(PEM)
        tls.verify_mode = ssl.CERT_REQUIRED if must else ssl.CERT_OPTIONAL
        super().__init__(pages, tls)
        self.shown: set[str] = set()

    def _noted(self, head, writer) -> Asked:
        asked = super()._noted(head, writer)
        tls = writer.get_extra_info("ssl_object")
        if tls is not None and tls.getpeercert():
            self.shown.add(asked.origin)
        return asked


@pytest.mark.parametrize(
    ("given", "seed", "expected"),
    [
        (f"h.test={PEM}", f"{OWNER}/", {OWNER}),
        (f"h.test={PEM},{PEM}", "http://evil.test/", {OWNER}),
        (f"h.test:444={PEM}", f"{OWNER}/", {"https://h.test:444"}),
        (f"https://sub.h.test={PEM}", f"{OWNER}/", {"https://sub.h.test"}),
        (str(PEM), f"{OWNER}/", {OWNER}),
        (str(PEM), "http://h.test/", set()),
    ],
)
def test_a_certificate_is_shown_to_whom_it_is_for(given: str, seed: str, expected: set[str], tmp_path: Path) -> None:
    web = AskingWeb()
    crawled(web, tmp_path / "crawl.db", [seed], client_cert=given)
    assert web.shown == expected
    assert {asked.origin for asked in web.asked} >= {OWNER, "https://evil.test", "https://h.test:444"}


def test_a_host_that_lets_nobody_else_in_is_read(tmp_path: Path) -> None:
    web = AskingWeb(must=True)
    crawled(web, tmp_path / "crawl.db", [f"{OWNER}/"], scope="host", client_cert=f"h.test={PEM}", pages=3)
    assert {asked.path for asked in web.asked} > {"/", "/robots.txt"}


def test_what_is_no_certificate_is_named(tmp_path: Path) -> None:
    none, encrypted = tmp_path / "none.pem", tmp_path / "key.pem"
    none.write_text("no certificate")
    make = ["openssl", "pkey", "-in", str(PEM), "-aes256", "-passout", "pass:hush", "-out", str(encrypted)]
    subprocess.run(make, check=True, capture_output=True)
    for given, problem in [
        (str(none), f"--client-cert: {none} does not hold a certificate and its key in PEM form"),
        (f"{PEM},{none}", f"--client-cert: {PEM} and {none} do not hold a certificate"),
        (f"{PEM},{encrypted}", f"--client-cert {encrypted}: the key is encrypted"),
        (f"a..%%={PEM}", "--client-cert a..%%=...: 'a..%%' is no host"),
    ]:
        with pytest.raises(SettingError) as caught:
            own_contexts(CrawlSettings(client_cert=given), frozenset())
        assert problem in str(caught.value)


def test_the_first_certificate_for_a_host_counts() -> None:
    settings = CrawlSettings(client_cert=(f"h.test={PEM}", f"{PEM}"))
    contexts = own_contexts(settings, frozenset({OWNER, "https://i.test", "http://j.test"}))
    assert contexts.keys() == {("h.test", 443), ("i.test", 443)}
    assert contexts["h.test", 443] is not contexts["i.test", 443]
