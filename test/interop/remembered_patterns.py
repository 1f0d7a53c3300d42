"""Schemathesis loads this before it begins: what draws texts for a pattern is made once, and not for each parameter.

The patterns of ids are long, and making it takes Hypothesis a tenth of a second: most of the time of a run. What is drawn
is the same.
"""

from hypothesis.strategies._internal import regex

make = regex.regex_strategy
made = {}


def remembered(pattern, fullmatch, *, alphabet, **options):
    key = (pattern, fullmatch, repr(alphabet), *options.items())
    if key not in made:
        made[key] = make(pattern, fullmatch, alphabet=alphabet, **options)
    return made[key]


regex.regex_strategy = remembered
