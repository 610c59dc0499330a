"""All kinds of input that are fuzzed."""

from tests.fuzz.targets import messages, notes, queries, snapshots, stores

TARGETS = (*notes.TARGETS, *queries.TARGETS, *messages.TARGETS, *stores.TARGETS, *snapshots.TARGETS)
