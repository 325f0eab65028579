"""What the author of a provider needs, in one place: the parts to build one from, and what each part expects. Pure.

A provider is one class below `Service`: its `FACTS`, a pure `request(query)`, and a `parse(response, query)` that never
raises. It asks nothing itself: `searchlog` sends the request, keeps every byte, and hands over the answer, also one of
years ago. README, "Python", shows one that is whole; `searchlog.testing` checks it; an entry point in the group
`searchlog.providers` makes it known by name (see `searchlog.search.plugins`).

- `request`: `self._get(fields, *headers)` or `self._post(body, *headers)`, of the same query always the same. It asks
  for `wanted(query, self.facts)` results. An option of the query is sent whole or not at all: what `FACTS.applies`
  does not list is told by `self.facts.ignored(query)`; what this one query has and cannot be sent, you add to that. A
  query that is too long is cut by `fit`; domains become words of it by `site_operators`.
- A query has one text, and never a focus. Of a search that asks several texts you get one query each; the focus chooses
  passages, and no provider sees it.
- `self._key` is the user's key, or None: put it into a header or a field where it must go. `_get` and `_post` declare
  it a secret, so that it is stored nowhere. Who sets it uses a variable of `FACTS.key_env`.
- `self._contact` is the user's address for services that want to know whom to write to, or None.
- `base_url` of the constructor stands in for scheme and host of `FACTS.endpoint`: a mirror, a stand-in in tests. Build
  URLs from `self.facts.endpoint`, as `_get` and `_post` do, never from `FACTS`.
- `own_server=True` in the facts says that the endpoint is a server of the user's own. It may then be asked at a private
  address, such as `http://10.0.0.5/`; all others are refused there.
- `parse`: make `Reader(self.facts, "name/1", ignored)` and raise that number when you read answers in another way.
  `reader.refused(response)` is the run of a usual error status, or None; `rows(response, reader, "list")` gives the
  answer and its list, or the run that says why not. `reader.walk(list, read)` adds the results, and
  `reader.run()` ends it: `ok`, or `empty` when the list was there and had nothing in it.
- `read(row)` gives fields of `Result`: `url` as it stood, `title` and `snippet` by `text` or `html_text`, `score` by
  `number` (a decimal string: no record holds a float), `**published(row, "day")`, `**crawled(row, "seen")`, `text` by
  `page_text` when `query.texts` asks for it. Any value may be of any type; these take all of them.
  `reader.drop(what, reason)` tells of an item that is no result, such as an advertisement.
- An error inside an answer of status 200 is told before the list is looked for:
  `return reader.run(RunOutcome.QUOTA, "the credit is used up")`, without the provider's name, which the reader puts in
  front. What the service itself says is `error_text(response.body)`; for how long to wait is
  `retry_after(response.headers)`, the third argument. A failure never passes for an empty list.
"""

from __future__ import annotations

from searchlog.capture.exchange import Request
from searchlog.search.answers.reading import Reader, error_text, fit, retry_after, rows, site_operators, wanted
from searchlog.search.answers.values import crawled, html_text, items, number, page_text, published, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Result, Run, RunOutcome
from searchlog.search.service import Service

__all__ = [
    "Facts",
    "Query",
    "Reader",
    "Request",
    "Response",
    "Result",
    "Run",
    "RunOutcome",
    "Service",
    "Terms",
    "crawled",
    "error_text",
    "fit",
    "html_text",
    "items",
    "number",
    "page_text",
    "published",
    "retry_after",
    "rows",
    "site_operators",
    "text",
    "wanted",
]
