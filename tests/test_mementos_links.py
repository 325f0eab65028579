"""Link headers and link-format: one grammar, read to the end of each link, in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.errors import FormatError
from searchlog.mementos.links import LINKS_MAX, Link, header_links, links


def read(text: str, cut: bool = False) -> list[Link]:
    return list(links(text, cut=cut))


def test_commas_in_dates_and_addresses_part_nothing() -> None:
    found = read(
        '<http://a.example/x,y;z=1>; rel="original", <http://w.example/2/http://a.example/x,y>; rel="first memento"; '
        'datetime="Tue, 11 Sep 2001 20:30:51 GMT"'
    )
    assert [link.uri for link in found] == ["http://a.example/x,y;z=1", "http://w.example/2/http://a.example/x,y"]
    assert found[1].relations == {"first", "memento"}
    assert found[1].fields["datetime"] == "Tue, 11 Sep 2001 20:30:51 GMT"


@pytest.mark.parametrize(
    "text",
    [
        '<u>;rel="memento";datetime="x"',
        "<u>; rel=memento; datetime=x",
        '<u> ; REL = "Memento" ; DateTime = "x"',
        ' , ,\n<u>;\r\n rel="memento"\n; datetime="x" ,',
        '<u>; rel="memento"; datetime="x"; datetime="y"; flag; other=; title="a \\"b\\", c"',
        '<u>;;; rel="memento"; datetime="x";',
    ],
)
def test_every_spelling_of_a_link_is_read(text: str) -> None:
    (link,) = read(text)
    assert (link.uri, link.relations, link.fields["datetime"]) == ("u", {"memento"}, "x")


def test_quoted_pairs_are_undone() -> None:
    assert read('<u>; title="a \\"b\\", \\\\c"')[0].fields["title"] == 'a "b", \\c'


@pytest.mark.parametrize(
    "text",
    [
        "no link",
        "<!DOCTYPE html><html>",
        "<u",
        '<u>; rel="memento',
        '<u>; rel="a" "b"',
        "<u>; rel=<v>",
        "<a b\n>; rel=x",
        "<u> <v>",
        "<" + "u" * 9_000 + ">",
    ],
)
def test_what_is_no_list_of_links_is_told(text: str) -> None:
    with pytest.raises(FormatError, match="no list of links"):
        read(text)


WHOLE = '<u>; rel="memento"; datetime="Tue, 11 Sep 2001 20:30:51 GMT",\n <v>; rel="memento"; datetime="x"'


@pytest.mark.parametrize("length", range(len(WHOLE)))
def test_list_cut_anywhere_gives_its_whole_links(length: int) -> None:
    uris = [link.uri for link in read(WHOLE[:length], cut=True)]
    assert uris == (["u"] if length >= WHOLE.index(",\n") + 1 else [])


def test_fault_in_the_middle_of_a_cut_list_is_told() -> None:
    with pytest.raises(FormatError):
        read('<u>; rel="a", oh no, <v>; rel="b", <w', cut=True)


def test_links_of_several_fields_are_read_and_a_bad_field_costs_only_itself() -> None:
    headers = (("Link", '<a>; rel="x"'), ("LINK", "<b>; rel=y, oh no"), ("X-Link", "<c>"), ("link", "<d>; rel=z"))
    assert [link.uri for link in header_links(headers)] == ["a", "b", "d"]


@pytest.mark.parametrize(
    "unit", ['<u>; rel="', "<", "<u>", ";" * 9, "<u>;a=\\", '"\\', " , ", '<u>; a="\\"', ",<", "> ; ", "<u>; rel=x, "]
)
def test_hostile_text_is_read_in_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    for cut in (True, False):
        start = time.thread_time()
        try:
            for _ in links(text, cut=cut):
                pass
        except FormatError:
            pass
        assert time.thread_time() - start < 10


def test_more_links_than_are_read_are_told() -> None:
    with pytest.raises(FormatError, match="more than"):
        read("<u>," * (LINKS_MAX + 1))


@given(st.text(alphabet='<>;,=" \\\nrelmo', max_size=60), st.booleans())
def test_any_text_is_a_list_or_is_told(text: str, cut: bool) -> None:
    try:
        assert all(isinstance(link, Link) for link in links(text, cut=cut))
    except FormatError:
        pass
