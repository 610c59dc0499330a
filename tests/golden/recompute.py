"""Recomputes scores from the JSON of an answer alone, as a program without Vaultseek would: imports nothing of it."""

import json
import math

FUNCTIONS = {name: getattr(math, name) for name in ("sqrt", "log", "log2", "tanh")} | {"min": min, "max": max}
CLAIM = {"found": "raw", "fused": "amount", "scaled": "factor", "replaced": "value"}


def recomputed(answer):
    """Each number that an answer states about a score, with the number computed here from what it is made of."""
    for result in json.loads(answer)["results"]:
        score, fused, raws = 0.0, None, {}
        for step in result["explanation"]["trail"]:
            value = step[CLAIM[step["kind"]]]
            if terms := step.get("terms"):
                value = 0.0
                for term in terms:
                    pairs = tuple(term_numbers(term))
                    yield from pairs
                    value += pairs[-1][1]
            elif how := step.get("arithmetic"):
                names = {**FUNCTIONS, **step, "raw": raws.get(step.get("source")), "score": score, **how["numbers"]}
                value = eval(how["formula"], {"__builtins__": {}}, names)  # noqa: S307 our own answer, in a test
            yield step[CLAIM[step["kind"]]], value
            if step["kind"] == "fused":
                fused = score = (fused or 0.0) + value
            elif step["kind"] == "scaled":
                score *= value
            else:
                score, fused = value, None
                raws[step.get("source")] = value
        yield result["score"], score


def term_numbers(term):
    """BM25F of one term: its idf, its frequency from counts and lengths, and last its score."""
    idf = term["share"] * math.log(1 + (term["nNotes"] - term["df"] + 0.5) / (term["df"] + 0.5))
    frequency = 0.0
    for part in term["parts"]:
        s = sum(
            field["weight"] * field["count"] / (1 - field["b"] + field["b"] * field["length"] / field["meanLength"])
            for field in part["fields"]
        )
        frequency += part["scale"] * (s / (s + 1) if part["saturated"] else s)
    yield term["idf"], idf
    yield term["frequency"], frequency
    yield term["score"], term["times"] * idf * frequency * (term["k1"] + 1) / (frequency + term["k1"])
