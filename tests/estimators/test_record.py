"""Records: plain dataclasses, each of which is equal to itself only."""

from dataclasses import field, replace

from gauda._support.record import record


@record
class Kept:
    first: int
    second: str = "two"
    third: list[int] = field(default_factory=list)


def test_hold_what_they_are_given_and_share_no_defaults():
    made, other = Kept(1), Kept(1)
    assert (made.first, made.second, made.third) == (1, "two", [])
    assert made.third is not other.third
    assert replace(made, second="b").second == "b"
    assert made.second == "two"


def test_stand_for_themselves_whatever_they_hold():
    made = Kept(1)
    assert made != Kept(1)
    assert len({made, made, Kept(1)}) == 2
