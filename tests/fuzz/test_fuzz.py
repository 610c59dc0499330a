"""Each kind of input obeys its law: the inputs of the corpus, and some that are made of pieces of its syntax.

`make fuzz` tries many more.
"""

import pytest
from hypothesis import HealthCheck, given, settings

from tests.fuzz.all_targets import TARGETS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_every_input_of_the_corpus_obeys_the_law(target):
    for data in target.corpus():
        target.hold(data)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_inputs_made_of_the_syntax_obey_the_law(target):
    @settings(max_examples=target.n_examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(target.inputs)
    def law(data):
        target.hold(data)

    law()
