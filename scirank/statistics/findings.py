"""What is said of models: estimates with their intervals, and differences with their tests."""

from dataclasses import dataclass, replace
from functools import cached_property

from ..errors import ScirankError


@dataclass(frozen=True)
class Estimate:
    """A mean and its interval, in percent.

    Attributes:
        model: whose.
        measure: what was measured.
        group: None for the average.
        queries: how many the mean is over.
        mean: of the group, or the weighted mean of the groups' means.
        low: None where nothing can be resampled: a group of one query, or an average of such groups only.
        high: as `low`.
    """

    model: str
    measure: str
    group: str | None
    queries: int
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Difference:
    """A mean difference of two models, a - b, in percentage points.

    Attributes:
        a: a model.
        b: one that came later.
        measure: what was measured.
        group: None for the average.
        queries: how many the mean is over.
        difference: above 0 where a is better.
        low: of the interval, from the same draws for both models; None where nothing can be resampled.
        high: as `low`.
        p: of the two-sided randomisation test.
        p_holm: adjusted for the groups of this pair and measure; of an average, for the pairs of this measure.
        effect: d_z; None where it cannot be said (see `effect_sizes`).
        detectable: the smallest difference that would be found four times in five; None as `effect`.
        wins: queries where a is better.
        ties: queries where both are the same.
        losses: queries where b is better.
    """

    a: str
    b: str
    measure: str
    group: str | None
    queries: int
    difference: float
    low: float | None
    high: float | None
    p: float
    p_holm: float
    effect: float | None
    detectable: float | None
    wins: int
    ties: int
    losses: int

    def turned(self) -> "Difference":
        """The same as b - a."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=-self.difference,
            low=None if self.high is None else -self.high,
            high=None if self.low is None else -self.low,
            effect=None if self.effect is None else -self.effect,
            wins=self.losses,
            losses=self.wins,
        )


@dataclass(frozen=True)
class Statistics:
    """What can be said of models on the same queries.

    Attributes:
        estimates: by model, then measure, then group; the average comes last.
        differences: of every pair of models, then by measure and group as estimates.
        resamples: how often queries, and signs, were drawn.
        confidence: of the intervals.
        seed: of the draws.
    """

    estimates: tuple[Estimate, ...]
    differences: tuple[Difference, ...]
    resamples: int
    confidence: float
    seed: int

    @cached_property
    def _estimates(self) -> dict[tuple[str, str, str | None], Estimate]:
        return {(one.model, one.measure, one.group): one for one in self.estimates}

    @cached_property
    def _differences(self) -> dict[tuple[str, str, str, str | None], Difference]:
        return {(one.a, one.b, one.measure, one.group): one for one in self.differences}

    def estimate(self, model: str, measure: str, group: str | None = None) -> Estimate:
        """One model's number; of the average by default. Raises ScirankError where there is none."""
        if found := self._estimates.get((model, measure, group)):
            return found
        raise ScirankError(f"there is no {measure} of {model} for {group or 'the average'}")

    def difference(self, a: str, b: str, measure: str, group: str | None = None) -> Difference:
        """One comparison; of the average by default. Raises ScirankError where there is none, as for `b` before `a`."""
        if found := self._differences.get((a, b, measure, group)):
            return found
        raise ScirankError(f"{a} was not compared with {b} by {measure} for {group or 'the average'}")
