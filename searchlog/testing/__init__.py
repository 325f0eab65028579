"""A suite that holds a provider to the contract, for the tests of the package that brings it.

A provider of another package is one class (see `searchlog.search.plugins`). Its tests give the suite a way to make it,
the key it was made with, and answers of the service with what each should be read as:

    # test_example.py
    from example_package import Example
    from searchlog.testing import ProviderSuite, Response, RunOutcome, Sample

    FOUND = b'{"items": [{"link": "https://a.example/", "name": "Tides"}]}'

    class TestExample(ProviderSuite):
        key = "a-key-of-the-tests-0123456789"
        samples = (
            Sample(Response(200, (), FOUND), RunOutcome.OK, results=1),
            Sample(Response(200, (), b'{"items": []}'), RunOutcome.EMPTY),
            Sample(Response(403, (), b'{"error": "over quota"}'), RunOutcome.QUOTA),
        )

        def make(self):
            return Example(key=self.key)

pytest collects it as any other test. Without pytest, `check_provider(Example(key=KEY), SAMPLES, key=KEY)` returns every
fault in words, and an empty list for a provider that keeps the contract. `ExtractorSuite` and `check_extractor` do the
same for a service that gives the texts of pages; its samples name the pages in `urls`.

Nothing is asked over the network. What is tried is the same each time: damaged and cut samples, JSON of every other
shape, every status, odd headers. The more samples, the more is tried; one with results is the least. What a sample says
outweighs the general rule for an answer of its status and bytes: a service that says "nothing found" with a 404 needs a
sample of that.

What it cannot see: whether the service really reads the request as meant, and a clock that `request` reads.
"""

from __future__ import annotations

from searchlog.search.provider import Response
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from searchlog.testing.subject import Sample
from searchlog.testing.suite import ExtractorSuite, ProviderSuite, check_extractor, check_provider

__all__ = [
    "ExtractorSuite",
    "ProviderSuite",
    "Query",
    "Response",
    "RunOutcome",
    "Sample",
    "check_extractor",
    "check_provider",
]
