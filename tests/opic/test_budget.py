"""Discovery versus refresh: the share of discoveries is held, and given up only when it must be."""

import random

import pytest
from table import each

from minicrawl.opic.budget import DiscoveryBudget

SHARES = [0.0, 0.2, 0.5, 0.8, *(random.Random(4).random() for _ in range(20))]


def turn(budget: DiscoveryBudget, has_never_visited: bool, has_visited: bool) -> bool | None:
    """One fetch as the budget decides; None: nothing is fetched."""
    discovers = budget.discovers(has_never_visited, has_visited)
    if discovers is not None:
        budget.charge(discovers=discovers)
    return discovers


def assert_share_is_held(budget: DiscoveryBudget, fetches: int = 3000) -> None:
    """With both kinds on offer discoveries among the first n fetches stay within 2 of q n, for every n."""
    discoveries = 0
    for n in range(1, fetches + 1):
        discoveries += turn(budget, True, True) is True
        assert abs(discoveries - budget.share * n) <= 2


@each("share", SHARES)
def test_share_is_held_within_two_fetches(share):
    assert_share_is_held(DiscoveryBudget(share))


@each("share", SHARES)
@each("offer", [(True, False), (False, True)], ids=["only-never-read", "only-read"])
def test_lean_times_are_not_made_up_for(share, offer):
    """However long one kind was missing, the share is within two fetches from the moment both are there."""
    budget = DiscoveryBudget(share)
    for _ in range(500):
        assert turn(budget, *offer) is offer[0]
    assert_share_is_held(budget)


@each("share", SHARES)
def test_share_is_held_on_a_changing_offer(share):
    """Each stretch in which both kinds are on offer holds the share by itself."""
    budget = DiscoveryBudget(share)
    draw = random.Random(share)
    for _ in range(30):
        for _ in range(draw.randrange(20)):
            turn(budget, draw.random() < 0.5, draw.random() < 0.5)
        assert_share_is_held(budget, draw.randrange(1, 40))


def test_half_alternates():
    budget = DiscoveryBudget(0.5)
    assert [turn(budget, True, True) for _ in range(6)] == [False, True] * 3


def test_a_credit_brought_along_counts():
    """As after a restart: the account goes on where it stood."""
    whole, resumed = DiscoveryBudget(0.3), DiscoveryBudget(0.3)
    for _ in range(7):
        turn(whole, True, True)
        turn(resumed, True, True)
    resumed = DiscoveryBudget(0.3, resumed.credit)
    assert [turn(whole, True, True) for _ in range(50)] == [turn(resumed, True, True) for _ in range(50)]


@pytest.mark.parametrize("has_visited", [True, False])
def test_share_of_one_never_refreshes(has_visited):
    budget = DiscoveryBudget()
    for _ in range(100):
        assert turn(budget, True, has_visited) is True
        assert turn(budget, False, has_visited) is None


def test_share_of_zero_discovers_only_when_nothing_can_be_refreshed():
    budget = DiscoveryBudget(0.0)
    for _ in range(100):
        assert turn(budget, True, True) is False
        assert turn(budget, True, False) is True


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8])
def test_takes_what_there_is(share):
    """One kind alone is fetched whatever the share."""
    budget = DiscoveryBudget(share)
    for _ in range(100):
        assert turn(budget, True, False) is True
        assert turn(budget, False, True) is False


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_no_offer_costs_nothing(share):
    budget = DiscoveryBudget(share, credit=0.75)
    assert turn(budget, False, False) is None
    assert budget.credit == 0.75


@each("share", SHARES)
def test_share_is_held_among_the_fetches_that_took_place(share):
    """Decisions that no fetch follows do not count, as many as there are."""
    budget = DiscoveryBudget(share)
    draw = random.Random(share)
    n = discoveries = 0
    while n < 2000:
        decided = budget.discovers(True, True)
        assert decided is not None
        if draw.random() < 0.4:
            budget.charge(discovers=decided)
            n += 1
            discoveries += decided
            assert abs(discoveries - share * n) <= 2


@each("share", SHARES)
def test_decision_alone_leaves_the_account_as_it_was(share):
    budget = DiscoveryBudget(share, 0.7)
    for offer in [(True, True), (True, False), (False, True), (False, False)]:
        budget.discovers(*offer)
    assert budget.credit == 0.7
