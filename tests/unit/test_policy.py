"""The policy in force: what is stored over what is set, and nothing obeyed that makes no sense."""

from dataclasses import replace

import pytest
import redis

from dashboard.queue.errors import BadPolicy, ServerRefused
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import FIELD_NAMES, Policy
from tests.support.server import ValkeyServer

DEFAULTS = Policy()
Q = QueueKeys("mail")


def stored(**fields: str) -> dict[bytes, bytes | None]:
    """A policy hash."""
    return {name.encode(): value.encode() for name, value in fields.items()}


def test_the_defaults_hold_where_nothing_is_stored() -> None:
    assert Policy.from_hash({}, DEFAULTS) == DEFAULTS == DEFAULTS.check()
    assert Policy.from_hash(dict.fromkeys([b"paused", b"managed"]), DEFAULTS) == DEFAULTS
    assert DEFAULTS.late_after_seconds == 15


def test_every_field_is_read() -> None:
    fields = stored(
        stale_after_seconds="12.5", beat_seconds="2", max_attempts="7", reaping="manual", adopt_orphans="0",
        paused="1", managed="1", other="ignored",
    )  # fmt: skip
    assert Policy.from_hash(fields, DEFAULTS) == Policy(12.5, 2.0, 7, "manual", False, True, True)


def test_what_is_written_reads_back(redis_client: redis.Redis) -> None:
    policy = Policy(10.0, 2.5, 0, "manual", False, True, True)
    redis_client.hset(Q.policy, mapping=policy.to_hash())  # type: ignore[arg-type]
    assert redis_client.hget(Q.policy, "stale_after_seconds") == b"10"
    assert Policy.read(redis_client, Q, DEFAULTS) == policy
    assert set(policy.to_hash()) == {name.encode() for name in FIELD_NAMES}


@pytest.mark.parametrize(
    ("field", "values"),
    [
        (
            "stale_after_seconds",
            ["nan", "inf", "-inf", "1e400", "", "x", "0x10", "2.9", "0", "-30", "3_0", "3\x00"],
        ),
        ("beat_seconds", ["nan", "inf", "", "0", "-1", "10.1", "1_0"]),
        ("max_attempts", ["nan", "inf", "", "1.5", "1e1", "0x10", "-1", "1000001", "1_0", "9" * 5000]),
        ("reaping", ["", "auto", "MANUAL", "\xff"]),
        ("adopt_orphans", ["", "2", "true", "01"]),
        ("paused", ["yes", "-1", " 1"]),
        ("managed", ["yes", "1.0"]),
    ],
)
def test_a_field_that_makes_no_sense_falls_back_alone_and_is_told(field: str, values: list[str]) -> None:
    others = {"stale_after_seconds": "40", "beat_seconds": "4", "max_attempts": "9", "paused": "1"}
    sound = replace(DEFAULTS, stale_after_seconds=40.0, beat_seconds=4.0, max_attempts=9, paused=True)
    expected = replace(sound, **{field: getattr(DEFAULTS, field)})
    for value in values if field != "beat_seconds" else [v for v in values if v != "10.1"] + ["13.4"]:
        fields = stored(**(others | {field: value}))
        if value == "\xff":
            fields[field.encode()] = b"\xff"
        policy = Policy.from_hash(fields, DEFAULTS)
        assert replace(policy, faults=()) == expected, value
        assert len(policy.faults) == 1, value
        assert policy.faults[0].startswith(field)
        assert len(policy.faults[0]) < 200


def test_a_beat_that_does_not_fit_becomes_a_third_of_the_threshold() -> None:
    policy = Policy.from_hash(stored(stale_after_seconds="6"), DEFAULTS)
    assert (policy.stale_after_seconds, policy.beat_seconds) == (6, 2)
    assert policy.faults == (
        "beat_seconds is 5; it must be over 0 and at most a third of stale_after_seconds, which is 6.",
    )
    assert policy.check() is policy


def test_a_beat_is_judged_by_the_threshold_in_force() -> None:
    policy = Policy.from_hash(stored(stale_after_seconds="1", beat_seconds="2"), DEFAULTS)
    assert (policy.stale_after_seconds, policy.beat_seconds) == (30, 2)
    assert len(policy.faults) == 1


def test_several_faults_are_all_told() -> None:
    policy = Policy.from_hash(stored(stale_after_seconds="x", max_attempts="-1", reaping="x"), DEFAULTS)
    assert replace(policy, faults=()) == DEFAULTS
    assert len(policy.faults) == 3


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        (Policy(2.0, 0.5), "stale_after_seconds is 2; under 3 s healthy workers would be reaped."),
        (Policy(float("nan")), "stale_after_seconds is nan"),
        (Policy(9.0, 3.1), "beat_seconds is 3.1; it must be over 0 and at most a third"),
        (Policy(9.0, 0.0), "beat_seconds is 0"),
        (Policy(max_attempts=-1), "max_attempts is -1; it must be 0 to 1000000."),
        (Policy(max_attempts=1_000_001), "max_attempts is 1000001"),
        (Policy(reaping="never"), "reaping is 'never'; it is automatic or manual."),
    ],
)
def test_a_policy_that_would_hurt_is_refused_with_the_reason(policy: Policy, sentence: str) -> None:
    with pytest.raises(BadPolicy) as caught:
        policy.check()
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("policy", [Policy(3.0, 1.0), Policy(max_attempts=0), Policy(max_attempts=1_000_000)])
def test_the_limits_themselves_are_allowed(policy: Policy) -> None:
    assert policy.check() is policy


def test_a_policy_key_of_another_type_counts_as_absent(redis_client: redis.Redis) -> None:
    redis_client.set(Q.policy, "x")
    policy = Policy.read(redis_client, Q, DEFAULTS)
    assert replace(policy, faults=()) == DEFAULTS
    assert policy.faults == ("the policy key is not a hash",)


def test_reading_it_may_be_refused(valkey_server: ValkeyServer, redis_client: redis.Redis) -> None:
    redis_client.acl_setuser("some", enabled=True, reset=True, nopass=True, keys=["x"], commands=["+@all"])
    try:
        with (
            valkey_server.client(username="some", password="x") as client,
            pytest.raises(ServerRefused) as caught,
        ):
            Policy.read(client, Q, DEFAULTS)
    finally:
        redis_client.acl_deluser("some")
    assert caught.value.code == "NOPERM"
