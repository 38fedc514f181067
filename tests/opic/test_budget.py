"""Discovery versus refresh: the share of discoveries is held, and given up only when it must be."""

import random

import pytest

from minicrawl.opic.budget import DiscoveryBudget

SHARES = [0.0, 0.2, 0.5, 0.8, *(random.Random(4).random() for _ in range(20))]


def assert_share_is_held(budget: DiscoveryBudget, fetches: int = 3000) -> None:
    """With both kinds on offer the discoveries among the first n fetches stay within 2 of q n, for every n."""
    discoveries = 0
    for n in range(1, fetches + 1):
        discoveries += budget.discovers(True, True) is True
        assert abs(discoveries - budget.share * n) <= 2


@pytest.mark.parametrize("share", SHARES)
def test_share_is_held_within_two_fetches(share):
    assert_share_is_held(DiscoveryBudget(share))


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("offer", [(True, False), (False, True)], ids=["only-never-read", "only-read"])
def test_lean_times_are_not_made_up_for(share, offer):
    """However long one kind was missing, the share is within two fetches from the moment both are there."""
    budget = DiscoveryBudget(share)
    for _ in range(500):
        assert budget.discovers(*offer) is offer[0]
    assert_share_is_held(budget)


@pytest.mark.parametrize("share", SHARES)
def test_share_is_held_on_a_changing_offer(share):
    """Each stretch in which both kinds are on offer holds the share by itself."""
    budget = DiscoveryBudget(share)
    draw = random.Random(share)
    for _ in range(30):
        for _ in range(draw.randrange(20)):
            budget.discovers(draw.random() < 0.5, draw.random() < 0.5)
        assert_share_is_held(budget, draw.randrange(1, 40))


def test_half_alternates():
    budget = DiscoveryBudget(0.5)
    assert [budget.discovers(True, True) for _ in range(6)] == [False, True] * 3


def test_a_credit_brought_along_counts():
    """As after a restart: the account goes on where it stood."""
    whole, resumed = DiscoveryBudget(0.3), DiscoveryBudget(0.3)
    for _ in range(7):
        whole.discovers(True, True)
        resumed.discovers(True, True)
    resumed = DiscoveryBudget(0.3, resumed.credit)
    assert [whole.discovers(True, True) for _ in range(50)] == [
        resumed.discovers(True, True) for _ in range(50)
    ]


@pytest.mark.parametrize("read_ready", [True, False])
def test_share_of_one_never_refreshes(read_ready):
    budget = DiscoveryBudget()
    for _ in range(100):
        assert budget.discovers(True, read_ready) is True
        assert budget.discovers(False, read_ready) is None


def test_share_of_zero_discovers_only_when_nothing_can_be_refreshed():
    budget = DiscoveryBudget(0.0)
    for _ in range(100):
        assert budget.discovers(True, True) is False
        assert budget.discovers(True, False) is True


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8])
def test_takes_what_there_is(share):
    """One kind alone is fetched whatever the share."""
    budget = DiscoveryBudget(share)
    for _ in range(100):
        assert budget.discovers(True, False) is True
        assert budget.discovers(False, True) is False


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_no_offer_costs_nothing(share):
    budget = DiscoveryBudget(share, credit=0.75)
    assert budget.discovers(False, False) is None
    assert budget.credit == 0.75


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_undone_decision_is_taken_again(share):
    """With both kinds on offer an undone decision leaves the account as it was."""
    budget = DiscoveryBudget(share)
    for _ in range(500):
        credit = budget.credit
        decided = budget.discovers(True, True)
        budget.undo(discovers=decided)
        assert budget.credit == pytest.approx(credit, abs=1e-12)
        budget.credit = credit
        assert budget.discovers(True, True) is decided


@pytest.mark.parametrize("share", SHARES)
def test_share_is_held_among_the_fetches_that_took_place(share):
    """Undone decisions do not count, as many as there are."""
    budget = DiscoveryBudget(share)
    draw = random.Random(share)
    n = discoveries = 0
    while n < 2000:
        decided = budget.discovers(True, True)
        if draw.random() < 0.6:
            budget.undo(discovers=decided)
        else:
            n += 1
            discoveries += decided
            assert abs(discoveries - share * n) <= 2


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("offer", [(True, False), (False, True)], ids=["only-never-read", "only-read"])
def test_undone_fall_backs_do_not_pile_up(share, offer):
    """A forced decision, undone again and again, moves the account by less than a fetch or two."""
    budget = DiscoveryBudget(share)
    for _ in range(500):
        budget.undo(discovers=budget.discovers(*offer))
        assert 0.0 <= budget.credit <= 2.0
    assert_share_is_held(budget)


@pytest.mark.parametrize(
    ("offer", "credit"),
    [((True, False), 0.0), ((False, True), 1.9)],
    ids=["only-never-read-without-credit", "only-read-with-full-credit"],
)
def test_undone_fall_back_leaves_the_account_as_it_was(offer, credit):
    """A fetch that did not take place must not pay for a discovery, nor cost one."""
    budget = DiscoveryBudget(0.2, credit)
    budget.undo(discovers=budget.discovers(*offer))
    assert budget.credit == pytest.approx(credit, abs=1e-12)
