"""minicrawl verify"""

import json
from pathlib import Path

from support.command_line import run
from support.sites import rows


def test_verify_compares_every_ranking_with_exact_pagerank(store: Path) -> None:
    told = json.loads(run("verify", "--json", "--store", store).stdout)
    assert list(told) == [
        *("store", "known", "read", "aliases", "links", "top", "stored", "settled", "history", "inlinks"),
        *("rounds", "visits", "rounding", "tolerance", "problem"),
    ]
    assert list(told["stored"]) == ["overlap", "tau", "l1", "largest", "certificate"]
    assert (told["known"], told["aliases"], told["links"], told["top"]) == (5, 1, 8, 4)
    assert (told["tolerance"], told["problem"]) == (1e-6, None)
    result = run("verify", "--store", store)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == (f"{store}: 5 pages known, 4 read, 8 links; aliases, folded into their targets: 1")
    assert lines[2].split() == [
        *("against", "exact", "PageRank", "top", "4", "tau", "L1", "error", "largest", "certified")
    ]
    assert [line.split()[-5:-3] for line in lines[3:5]] == [["4", f"{told['stored']['tau']:.5f}"]] * 2
    assert [line.split()[-1] for line in lines[5:7]] == ["-", "-"]


def test_verify_exits_with_4_when_the_accounts_do_not_belong_to_the_links(store: Path) -> None:
    rows(store, "UPDATE pages SET cash = 2 * (cash + forwarded) - forwarded WHERE id = 0")
    result = run("verify", "--store", store)
    assert result.exit_code == 4
    problem = result.output.splitlines()[-1]
    assert problem.startswith("The settled ranking is 0.")
    assert problem.endswith("the accounts do not belong to the links; run 'minicrawl check' to see where.")
    result = run("verify", "--json", "--store", store)
    assert (result.exit_code, json.loads(result.stdout)["problem"]) == (4, problem)
    assert run("verify", "--tolerance", "2", "--store", store).exit_code == 0
