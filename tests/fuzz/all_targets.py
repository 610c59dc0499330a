"""All kinds of input that are fuzzed."""

from tests.fuzz.targets import messages, model_answers, notes, queries, settings_files, snapshots, stores

TARGETS = tuple(
    target
    for module in (notes, queries, messages, settings_files, stores, snapshots, model_answers)
    for target in module.TARGETS
)
