"""What a user may get wrong in a command is told in one sentence, with the way out; nothing is printed or done."""

import shlex
from pathlib import Path

import pytest
from support.command_line import HOME, run

NO_CRAWL = ("there is no crawl at none.db", 3)
MISTAKES: dict[str, str | tuple[str, int]] = {
    "crawl seeds.txt": "seeds.txt:3: 'not a url' is not an http or https URL",
    "crawl --store none.db": "you gave no seeds",
    "crawl --store none.db --dry-run": "you gave no seeds",
    f"crawl {HOME} --pages x --dry-run": "--pages: write a whole number",
    f"crawl {HOME} --pages 0": "--pages must be at least 1, not 0",
    f"crawl {HOME} --pages -1": "--pages must be at least 1, not -1",
    f"crawl {HOME} --discovery 1.5": "--discovery must be at most 100%, not 1.5",
    f"crawl {HOME} --until-coverage 1.5": "--until-coverage must be at most 100%, not 1.5",
    f"crawl {HOME} --until-coverage 9000%": "--until-coverage must be at most 100%, not 9000%",
    "crawl http//example.org": "did you mean http://example.org?",
    "crawl https:/example.org/a": "did you mean https://example.org/a?",
    "crawl htps//example.org:8443": "did you mean https://example.org:8443?",
    "crawl 'https;//example.org'": "did you mean https://example.org?",
    "crawl --help politness": "--help has no topic 'politness'; did you mean 'politeness'?",
    "crawl --help xyz": "--help has no topic 'xyz'; there are ",
    "example.org": "Did you mean 'crawl example.org'?",
    f"crawl {HOME} --store seeds.txt/crawl.db": ("cannot be opened", 3),
    f"crawl {HOME} --store no/such/crawl.db": ("there is no folder no; make it, or name another file with --store", 3),
    f"crawl {HOME} --store /proc/x/y.db": ("there is no folder /proc/x; make it", 3),
    f"crawl {HOME} --store /none/x/y.db": ("there is no folder /none; make it", 3),
    "top --store none.db": NO_CRAWL,
    "export ranks.xls --store none.db": NO_CRAWL,
    "report report.html --store none.db": NO_CRAWL,
    "report no/report.html": "no/report.html cannot be written",
    "report out.pdf": "so name it out.html",
    "search x --store none.db": NO_CRAWL,
    "graph stats --store none.db": NO_CRAWL,
    "graph stats none.npz": "there is no graph file",
    "mcp --store none.db": NO_CRAWL,
    "mcp --token-file x": "--token-file goes with --port",
    "mcp --port 70000": "70000",
    "refresh --pages 5 --store none.db": NO_CRAWL,
    "refresh --pages 5 --dry-run --store none.db": NO_CRAWL,
    "refresh": "say how many pages the round fetches, such as --pages 1000, or how long it takes, such as --time 1h",
    "refresh --pages 0": "--pages",
    "control pause": ("no crawl runs on", 1),
    "control status --json": ("no crawl runs on", 1),
    "control set delay": "write a setting as NAME=VALUE, such as delay=2, not only 'delay'",
    "control set =2": "NAME=VALUE",
    "control set sitemaps=x": "yes or no, not 'x'",
    "control set pages=1": "--pages holds for one run: give it to 'minicrawl crawl",
    "control set retry=1": "--retry holds for one run: give it to 'minicrawl crawl",
    "control set dely=2": "did you mean 'delay'?",
    "control set": "Missing argument",
    "control add nowhere.txt": "seed file nowhere.txt cannot be read",
    "control ban a.test --store none.db": NO_CRAWL,
    "demo --traps": "--traps needs --serve: an endless web has no truth to compare with",
    f"archive list {HOME} --archive nowhere": "there is no archive at nowhere",
    f"archive get {HOME} --at soon --archive nowhere": "a date is 2026-11-21",
    "audit --fail-on brokenlink": "--fail-on: there is no rule 'brokenlink'; did you mean broken-link",
    "links --broken --csv-for excel": "--csv-for excel goes with --csv; add --csv FILE",
    "audit --fail-on zzz": "--fail-on: there is no rule 'zzz'; 'minicrawl audit --rules",
    "links": "choose --broken, --redirected, --external or --to URL",
    "links --fail-on '404, often'": "takes statuses (404), classes (4xx) and reason codes (dns), not 'often'",
    "links --to a.test/unheard": "a.test/unheard is not known to this crawl; 'minicrawl why",
    "links --to ftp://a.test/": "is not an http or https URL",
    "text http://c.test/": "http://c.test/ is not known to this crawl",
    "search -": "a search needs at least one word to look for, which '-' has not",
    "search x --since soon": "--since takes a time ago, such as 7d, or a date",
    "changes --since someday": "--since takes a time ago, such as 7d, or a date, such as 2026-01-31, not 'someday'",
    "copies": "name one or more documents, FILE or URL, or use --hosts",
    "copies x.txt --hosts": "--hosts",
    "copies x --least 0": "--least",
    f"copies {HOME}": "crawl.db has no texts",
    "index": "continue the crawl with --search",
    "rank --save inlinks": "--save inlinks: every store has a column of that name",
    "rank --by hits --damping .5": "--damping goes with --by pagerank, trustrank, topic",
    "rank --by topic --topic shop": "--topic takes NAME=FILE|URL|REGEX",
    "rank --by trustrank --trusted charm": "--trusted 'charm' is not a file, and matches no URL",
    "rank --by hits --query charm": "no page has 'charm' in its URL or title",
    "rank --by hits --peel": "give their number with --communities",
    "rank --by hits --per page --cap 3": "give --per host or --per site",
    "rank --by hits --per page --context": "give --query",
    "rank --memory 1MB --method sweeping": "leave out --method",
    "rank --jump recent:soon": "write a time as a number",
    "rank --jump recent:0s": "give a time such as 30d",
    "rank --jump nowhere.txt": "there is no file 'nowhere.txt'",
    "rank --by visits": "--by visits needs the access logs of the site; name each with --log access.log",
    "seeds --density 50 --size 3x2": "--density and --size both define a core",
    "seeds --size 3": "--size takes hubs x authorities, such as 20x5, not '3'",
    "seeds --store none.db": NO_CRAWL,
    "lab opic 2 --graphs 0": "'--graphs': 0 is not in the range x>=1",
    "lab opic 2 --nodes 1999": "'--nodes': 1999 is not in the range 2000<=x<=2147483647",
    "lab opic 2 --model small-world": "'--model': 'small-world' is not one of 'power-law', 'poisson'",
    "lab seeds --graph web.txt": "web.txt has no URLs, which tell the links inside a site; name a store or a list of",
    "lab opic convergence --graph nowhere.npz": "there is no graph file 'nowhere.npz'; name one that exists",
    "lab spawc a300 --algorithms fast": "--algorithms are some of distances, strong, bfs, floyd-warshall, rows, trees,",
    "lab spawc a9": "there is no graph file 'a9'; name one that exists",
    "top --sites --where 'status = 404'": "--where is for pages; leave out this or --sites",
    "top --where '1; DROP TABLE pages'": "--where ",
    "top --where 'importanse > 1'": "--where ",
    "export ranks.csv --where '1; DROP TABLE pages'": "--where ",
    "export ranks.csv --where 'importanse > 1'": "--where ",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_mistake_gets_one_sentence(store: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    told, code = each if isinstance(each := MISTAKES[words], tuple) else (each, 2)
    monkeypatch.chdir(store.parent)
    monkeypatch.setenv("MINICRAWL_STORE", "crawl.db")
    Path("seeds.txt").write_text("# start\nhttp://a.test/\nnot a url\n")
    Path("web.txt").write_text("0 1\n")
    files = sorted(Path().iterdir())
    before = [path.read_bytes() for path in files]
    result = run(*shlex.split(words))
    assert (result.exit_code, result.stdout) == (code, "")
    *usage, line = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert told in line
    assert not usage or usage[0].startswith("Usage: ")
    assert [path for path in sorted(Path().iterdir()) if path.suffix != ".lock"] == files
    assert [path.read_bytes() for path in files] == before
