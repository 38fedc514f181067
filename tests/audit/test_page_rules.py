"""Rules on copies, headings and images."""

from pathlib import Path

from support.audits import Reply, crawl_web, found_in, prose
from support.faulty_site import found
from support.sites import crawl

from minicrawl.audit.auditing import audited
from minicrawl.store.reader import open_store


def test_page_over_http_and_https_is_no_duplicate_of_itself(tmp_path: Path) -> None:
    both = [f"{scheme}://a.test/{path}" for scheme in ("http", "https") for path in "xy"]
    twice = dict.fromkeys(both, Reply(title="Same", body=prose("one")))
    links = Reply(" ".join(twice))
    crawl_web({**twice, "http://a.test/": links}, tmp_path / "crawl.db", ["http://a.test/"])
    assert found_in(tmp_path / "crawl.db", "duplicate-exact") == {"duplicate-exact": {"http://a.test/x": 1}}


def test_pages_with_the_same_bytes_are_exact_copies_although_a_third_is_like_them(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(400))
    web = {f"http://a.test/{name}": Reply(title="Twin", body=f"{text} twin") for name in ("twin-a", "twin-b")}
    web["http://a.test/"] = Reply(" ".join(web), title="Twin", body=text)
    crawl_web(web, tmp_path / "crawl.db", ["http://a.test/"])
    found = found_in(tmp_path / "crawl.db", "duplicate-exact", "duplicate-near")
    assert found == {"duplicate-exact": {"http://a.test/twin-a": 1}, "duplicate-near": {"http://a.test/": 1}}


HOME = "http://a.test/"


def test_pages_without_a_heading_are_found(tmp_path: Path) -> None:
    crawl({HOME: ["<h1>x</h1>", "/a", "/b"], f"{HOME}a": ["a"], f"{HOME}b": ["<h1>b</h1>"]}, tmp_path / "crawl.db",
          [HOME], audit=True)  # fmt: skip
    with open_store(tmp_path / "crawl.db") as store:
        assert found(store, "h1-missing") == {f"{HOME}a": 0}


def test_what_the_crawl_has_not_kept_is_not_checked(tmp_path: Path) -> None:
    crawl({"http://a.test/": ["<img src=x>"]}, tmp_path / "crawl.db", ["http://a.test/"])
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        audit = audited(store)
    assert "--profile audit --store NEW" in audit.not_checked["image-without-alt"]
    assert "title-missing" not in audit.not_checked
