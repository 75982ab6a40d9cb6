"""Frozen dataclasses that fill their dictionary: the same as dataclasses make, but for the time."""

import inspect
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from gauda._support.quick_dataclass import quick


def kinds():
    """Return the same dataclass twice, the second one quick."""

    def make():
        @dataclass(frozen=True)
        class Base:
            first: int
            second: str = "two"
            third: list[int] = field(default_factory=list)
            fourth: int = field(default=4, kw_only=True)

            def __post_init__(self) -> None:
                object.__setattr__(self, "first", self.first + 1)

        return Base

    return make(), quick(make())


CALLS = [
    ((1,), {}),
    ((1, "b"), {}),
    ((1, "b", [5]), {"fourth": 7}),
    ((), {"first": 0, "third": [1]}),
    ((1, None, None), {"fourth": None}),
]


@pytest.mark.parametrize(("given", "named"), CALLS)
def test_holds_what_a_dataclass_holds(given, named):
    plain, quickly = (kind(*given, **named) for kind in kinds())
    assert vars(plain) == vars(quickly)
    assert list(vars(plain)) == list(vars(quickly))
    changed = [vars(replace(made, second="c")) for made in (plain, quickly)]
    assert changed[0] == changed[1]


@pytest.mark.parametrize(("given", "named"), [((), {}), ((1, 2, [], 4), {}), ((1,), {"fifth": 5})])
def test_refuses_what_a_dataclass_refuses(given, named):
    for kind in kinds():
        with pytest.raises(TypeError):
            kind(*given, **named)


def test_stays_frozen_and_shares_no_defaults():
    quickly = kinds()[1]
    made, other = quickly(1), quickly(1)
    with pytest.raises(FrozenInstanceError):
        made.first = 3
    assert made.third is not other.third
    assert made == other


def test_has_the_same_parameters():
    plain, quickly = (inspect.signature(kind).parameters for kind in kinds())
    assert list(plain) == list(quickly)
    assert [p.kind for p in plain.values()] == [p.kind for p in quickly.values()]
    assert [p.annotation for p in plain.values()] == [p.annotation for p in quickly.values()]


def test_refuses_fields_that_are_not_arguments():
    @dataclass(frozen=True)
    class Odd:
        hidden: int = field(default=1, init=False)

    assert len(fields(Odd)) == 1
    with pytest.raises(TypeError, match="hidden must be an argument"):
        quick(Odd)
