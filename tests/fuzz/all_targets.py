"""All kinds of input that are fuzzed."""

from tests.fuzz.targets import notes

TARGETS = (*notes.TARGETS,)
