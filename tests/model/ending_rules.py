"""How workers end or seem to: a crash, a freeze and its end, an orderly stop, and a stop in vain."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from dashboard.queue.answers import Code
from tests.model.ground import PICK, around, raws
from tests.model.hand import Hand
from tests.model.worker_rules import WorkerRules


class EndingRules(WorkerRules):
    """Rules of the end of workers."""

    @precondition(lambda self: self.hands_in("live", "frozen"))
    @rule(pick=PICK)
    def crash(self, pick: int) -> None:
        """The process is gone; what it held stays in its list."""
        hand = around(self.hands_in("live", "frozen"), pick)
        hand.state = "dead"
        hand.empty()

    @precondition(lambda self: self.live())
    @rule(pick=PICK)
    def freeze(self, pick: int) -> None:
        """SIGSTOP."""
        around(self.live(), pick).state = "frozen"

    @precondition(lambda self: self.hands_in("frozen"))
    @rule(pick=PICK)
    def thaw(self, pick: int) -> None:
        """SIGCONT: it goes on with what it had in hand, which others may have run meanwhile."""
        around(self.hands_in("frozen"), pick).state = "live"

    @precondition(lambda self: self.live())
    @rule(pick=PICK)
    def stop(self, pick: int) -> None:
        """SIGTERM: settle what is done, give the rest back, retire."""
        hand = around(self.live(), pick)
        call = hand.calls.begin(raws(hand.done))
        answer = self.scripts.settle(self.q, hand.name, call, raws(hand.done), 0)
        hand.calls.confirm(call, answer.lost)
        _, lost = self.settled(hand, call, hand.done, 0)
        hand.miss(hand.done[place] for place in lost)
        hand.done = []
        told = 0
        if hand.todo:
            released = self.give_back(hand, hand.todo)
            told = int(self.event)
            assert len(released) == len(hand.todo) - hand.stolen.total()
        hand.empty()
        hand.state = "absent"
        told += hand.name in self.places.beats
        self.retires(hand, hand.token, Code.RETIRED)
        self.event = told > 0

    def retires(self, hand: Hand, token: str, expected: Code) -> None:
        """Call retire; its entry goes when it answers that it did."""
        answer = self.scripts.retire(self.q, hand.name, token=token)
        assert (answer.code, answer.held_count) == (expected, len(self.places.of(hand.name)))
        if expected is Code.RETIRED:
            self.places.forget(hand.name)
            self.orphans.discard(hand.name)

    @precondition(lambda self: self.live())
    @rule(pick=PICK, is_predecessor=st.booleans())
    def retire_in_vain(self, pick: int, is_predecessor: bool) -> None:
        """Who holds jobs keeps its heartbeat, so that somebody looks for them; and so does a successor."""
        hand = around(self.live(), pick)
        if is_predecessor and hand.name in self.places.tokens:
            self.retires(hand, "token of a predecessor", Code.ALIVE)
        elif self.places.of(hand.name):
            self.retires(hand, "", Code.HOLDING)
