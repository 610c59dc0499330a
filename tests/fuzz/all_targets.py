"""All kinds of input that are fuzzed."""

from tests.fuzz.targets import (
    kinds,
    messages,
    model_answers,
    notes,
    options,
    queries,
    settings_files,
    snapshots,
    stores,
)

TARGETS = tuple(
    target
    for module in (notes, kinds, queries, messages, settings_files, options, stores, snapshots, model_answers)
    for target in module.TARGETS
)
