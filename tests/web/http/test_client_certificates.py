"""Client certificates, over TLS: who is shown one, and what is said of files that hold none."""

import asyncio
import ssl
import subprocess
from pathlib import Path

import pytest
from support.origins import OWNER, PEM, Asked, Web, crawled, pages

from minicrawl.errors import SettingError
from minicrawl.web.net.tls import HTTP_1, trust


class AskingWeb(Web):
    """Asks for certificates, and notes which origins were shown one. must: those that show none are sent away."""

    def __init__(self, *, must: bool = False) -> None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_verify_locations(PEM)
        tls.verify_mode = ssl.CERT_REQUIRED if must else ssl.CERT_OPTIONAL
        super().__init__(pages, tls)
        self.shown: set[str] = set()

    def _noted(self, head: str, writer: asyncio.StreamWriter) -> Asked:
        asked = super()._noted(head, writer)
        tls = writer.get_extra_info("ssl_object")
        if tls is not None and tls.getpeercert():
            self.shown.add(asked.origin)
        return asked


@pytest.mark.parametrize(
    ("seeds", "expected"),
    [
        ([f"{OWNER}/"], {OWNER}),
        ([f"{OWNER}/", "https://h.test:444/"], {OWNER, "https://h.test:444"}),
        (["http://h.test/"], set()),
    ],
)
def test_a_certificate_is_shown_to_hosts_of_seeds_alone(seeds: list[str], expected: set[str], tmp_path: Path) -> None:
    web = AskingWeb()
    crawled(web, tmp_path / "crawl.db", seeds, client_cert=PEM)
    assert web.shown == expected
    assert {asked.origin for asked in web.asked} >= {OWNER, "https://evil.test", "https://h.test:444"}


@pytest.mark.parametrize("has_one", [True, False])
def test_a_host_that_demands_a_certificate_is_read_with_one_alone(tmp_path: Path, has_one: bool) -> None:
    web = AskingWeb(must=True)
    given = {"client_cert": PEM} if has_one else {}
    report = crawled(web, tmp_path / "crawl.db", [f"{OWNER}/"], scope="host", pages=3, **given)
    assert ({"/", "/robots.txt"} <= {asked.path for asked in web.asked}) == has_one
    assert (report.read > 0) == has_one


def test_what_holds_no_certificate_is_named_and_nobody_is_asked_for_a_passphrase(tmp_path: Path) -> None:
    none, locked = tmp_path / "none.pem", tmp_path / "locked.pem"
    none.write_text("no certificate")
    make = ["openssl", "pkey", "-in", str(PEM), "-aes256", "-passout", "pass:hush"]
    key = subprocess.run(make, check=True, capture_output=True, text=True).stdout
    certificate = PEM.read_text().partition("-----BEGIN CERTIFICATE-----")
    locked.write_text(key + certificate[1] + certificate[2].partition("-----BEGIN PRIVATE KEY-----")[0])
    for file, problem in [
        (none, f"--client-cert {none} does not hold a certificate and its key, both in PEM form"),
        (locked, f"--client-cert {locked}: its key has a passphrase; 'openssl pkey' removes the passphrase"),
    ]:
        with pytest.raises(SettingError) as caught:
            trust(None, HTTP_1, file)
        assert str(caught.value).startswith(problem)
