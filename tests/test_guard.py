"""One reading of a URL, and our own list of addresses that are not public."""

from __future__ import annotations

import ipaddress
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.capture.deadline import Deadline
from searchlog.capture.guard import (
    Allow,
    Refusal,
    Target,
    check_address,
    check_url,
    is_loopback_name,
    join_url,
    refusal,
    safe_url,
)
from searchlog.capture.resolve import resolve, system_resolver
from searchlog.clock import SystemClock
from searchlog.errors import UsageError


def target(url: str) -> Target:
    found = check_url(url)
    assert isinstance(found, Target), found
    return found


# -- URLs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("http://example.com", "http://example.com/"),
        ("HTTPS://Example.COM:443/A?b#c", "https://example.com/A?b"),
        ("http://example.com:8080/", "http://example.com:8080/"),
        ("http://example.com:1/", "http://example.com:1/"),
        ("http://example.com:65535/", "http://example.com:65535/"),
        ("http://example.com:/x", "http://example.com/x"),
        ("http://example.com./x", "http://example.com/x"),
        ("http://example.com?q=1", "http://example.com/?q=1"),
        ("http://example.com/?", "http://example.com/?"),
        ("http://example.com/#?", "http://example.com/"),
        ("http://8.255.255.255/", "http://8.255.255.255/"),
        ("http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/../../x", "http://example.com/x"),
        ("http://example.com/a/..", "http://example.com/"),
        ("http://example.com/a/.", "http://example.com/a/"),
        ("http://example.com/.well-known/x", "http://example.com/.well-known/x"),
        ("http://example.com/é?ü=ß", "http://example.com/%C3%A9?%C3%BC=%C3%9F"),
        ("http://example.com/%7e%41%zz", "http://example.com/%7e%41%zz"),
        ('http://example.com/"<>^`{}', "http://example.com/%22%3C%3E%5E%60%7B%7D"),
        ("http://example.com/@user", "http://example.com/@user"),
        ("http://example.com/!$&'()*+,-./09:;=?@AZ_az~[]|%", "http://example.com/!$&'()*+,-./09:;=?@AZ_az~[]|%"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah/"),
        ("http://BÜCHER.example/", "http://xn--bcher-kva.example/"),
        ("http://ｅｘａｍｐｌｅ.ｃｏｍ/", "http://example.com/"),
        ("http://a_b.example/", "http://a_b.example/"),
        ("http://192.0.2.7.example/", "http://192.0.2.7.example/"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("http://[2606:4700:0:0::1111]:80/", "http://[2606:4700::1111]/"),
        ("http://[::FFFF:1.2.3.4]/", "http://[::ffff:102:304]/"),
    ],
)
def test_url_has_one_normal_form(url: str, normal: str) -> None:
    assert target(url).url == normal
    assert target(normal) == target(url)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("file:///etc/hostname", "scheme"),
        ("data:text/html,hi", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("ftp://example.com/", "scheme"),
        ("gopher://example.com/", "scheme"),
        ("blob:http://example.com/x", "scheme"),
        ("example.com/x", "scheme"),
        ("//example.com/x", "scheme"),
        ("", "scheme"),
        ("http/x", "scheme"),
        ("https", "scheme"),
        ("http+x://example.com/", "scheme"),
        ("http://user@example.com/", "credentials"),
        ("http://user:pass@example.com/", "credentials"),
        ("http://127.0.0.1:80@10.0.0.1/", "credentials"),
        ("http://@example.com/", "credentials"),
        ("http://[redacted]@example.com/", "credentials"),
        ("http://127.0.0.1:80\\@10.0.0.1/", "url"),
        ("http://example.com\\x", "url"),
        ("http://exa mple.com/", "url"),
        (" http://example.com/", "url"),
        ("http://example.com/a b", "url"),
        ("http://example.com/\r\nX: 1", "url"),
        ("http://example.com/\tx", "url"),
        ("http://example.com/\x00", "url"),
        ("http://example.com/\x7f", "url"),
        ("http://example.com/\u00a0", "url"),
        ("http://example.com/\u2003", "url"),
        ("http://example.com/\u200b", "url"),
        ("http://example.com/\u2028", "url"),
        ("http://example.com/\ufeff", "url"),
        ("http://example.com/\ud800", "url"),
        ("http://2130706433/", "url"),
        ("http://0x7f000001/", "url"),
        ("http://0x7f.0.0.1/", "url"),
        ("http://0177.0.0.1/", "url"),
        ("http://127.1/", "url"),
        ("http://0/", "url"),
        ("http://127.0.0.1./", "url"),
        ("http://127.0.0.01/", "url"),
        ("http://127.0.0.256/", "url"),
        ("http://1.2.3.4.5/", "url"),
        ("http://example.0x1/", "url"),
        ("http://0xdeadbeef/", "url"),
        ("http://0xcd.example.0xcd/", "url"),
        ("http://127。0。0。1/", "url"),
        ("http://①②⑦.⓪.⓪.①/", "url"),
        ("http://１２７.０.０.１/", "url"),
        ("http://[::1%25eth0]/", "url"),
        ("http://[fe80::1%eth0]/", "url"),
        ("http://[::1", "url"),
        ("http://::1/", "url"),
        ("http://[v1.x]/", "url"),
        ("http://[127.0.0.1]/", "url"),
        ("http:///x", "url"),
        ("http:example.com", "url"),
        ("http://", "url"),
        ("http://a..b/", "url"),
        ("http://.a/", "url"),
        ("http://-a.example/", "url"),
        ("http://a-.example/", "url"),
        ("http://exa%6dple.com/", "url"),
        ("http://ex*mple.com/", "url"),
        ("http://" + "a" * 64 + ".example/", "url"),
        ("http://" + "a." * 130 + "example/", "url"),
        ("http://example.com:0/", "url"),
        ("http://example.com:65536/", "url"),
        ("http://example.com:80a/", "url"),
        ("http://example.com:-1/", "url"),
        ("http://i❤.example/", "url"),
    ],
)
def test_url_is_refused_with_its_reason(url: str, reason: str) -> None:
    found = check_url(url)
    assert isinstance(found, Refusal), found
    assert found.reason == reason
    assert found.detail


@pytest.mark.parametrize("code", [0xD800, 0xDC00, 0xDFFF])
def test_lone_surrogate_anywhere_is_refused(code: int) -> None:
    assert refusal(f"http://example.com/{chr(code)}") == "url"


def test_url_longer_than_the_limit_is_refused() -> None:
    start = "http://example.com/"
    assert isinstance(check_url(start + "x" * (8192 - len(start))), Target)
    assert check_url(start + "x" * (8193 - len(start))) == Refusal("url", "the URL is longer than 8192 bytes")


@given(st.text(max_size=60) | st.text("htp:/.@[]?#%\\ 0123456789abxé", max_size=40).map("http://".__add__))
def test_any_text_is_judged_and_normal_urls_stay_as_they_are(url: str) -> None:
    found = check_url(url)
    if isinstance(found, Target):
        assert found.url.isascii()
        assert "@" not in found.origin
        assert check_url(found.url) == found


def test_host_field_and_origin_leave_out_the_schemes_own_port() -> None:
    assert target("https://example.com/").host_header == "example.com"
    assert target("http://example.com:443/").host_header == "example.com:443"
    assert target("http://[2606:4700::1]:8080/x").origin == "http://[2606:4700::1]:8080"


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/x", "http://a.example/x"),
        ("y?z", "http://a.example/d/y?z"),
        ("//b.example/", "http://b.example/"),
        ("https://b.example/x y", "https://b.example/x%20y"),
        ("  /x ", "http://a.example/x"),
        ("caf\xc3\xa9", "http://a.example/d/café"),
        ("caf\xe9", "http://a.example/d/café"),
        ("?q", "http://a.example/d/p?q"),
        ("", "http://a.example/d/p"),
        ("XX/xXX", "http://a.example/d/XX/xXX"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("/a\tb", "/a\tb"),
        ("http://[redacted]@h/", "http://[redacted]@h/"),
    ],
)
def test_location_is_joined_for_the_check_to_judge(location: str, url: str) -> None:
    assert join_url(target("http://a.example/d/p"), location) == url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://user:hunter2@h/x", "http://[redacted]@h/x"),
        ("http://a@b:c@h/x", "http://[redacted]@h/x"),
        ("//user:hunter2@h", "//[redacted]@h"),
        ("http://h/@user", "http://h/@user"),
        ("http://h/?u=a@b", "http://h/?u=a@b"),
        ("http:\\\\user:hunter2@h", "http:\\\\[redacted]@h"),
        (" \thttp://user:hunter2@h", " \thttp://[redacted]@h"),
        ("ht\ttp://user:hunter2@h", "ht\ttp://[redacted]@h"),
        ("http://h/?next=http://user:hunter2@h/", "http://h/?next=http://[redacted]@h/"),
        ("a-b+c.d0Z://user:hunter2@h", "a-b+c.d0Z://[redacted]@h"),
        ("\x01\x1f //user:hunter2@h", "\x01\x1f //[redacted]@h"),
        ("http:user:hunter2@h", "http:[redacted]@h"),
        ("user@h", "[redacted]@h"),
        ("http://?u=a@b/", "http://?u=a@b/"),
        ("http://h#a@b", "http://h#a@b"),
        ("http://h?a@b", "http://h?a@b"),
        ("http://:12345@h", "http://[redacted]@h"),
        # a password in a later address
        ("http://h/?n=\\\\a:c@d", "http://h/?n=\\\\[redacted]@d"),
        ("http://h/?n=//a#b:c@h/", "http://h/?n=//a#b:c@h/"),
        ("http://h/?n=//a?b:c@h/", "http://h/?n=//a?b:c@h/"),
        ("http://h/?n=//a/b:c@h/", "http://h/?n=//a/b:c@h/"),
        ("http://h/?n=//a\\b:c@h/", "http://h/?n=//a\\b:c@h/"),
        ("http://h/?n=//a@b:c@h/", "http://h/?n=//a@b:c@h/"),
        ("http://h/?n=//a:b/c@h/", "http://h/?n=//a:b/c@h/"),
        ("http://h/?n=//a:b?c@h/", "http://h/?n=//a:b?c@h/"),
        ("http://h/?n=//a:b#c@h/", "http://h/?n=//a:b#c@h/"),
        ("http://h/?n=//a:b\\c@h/", "http://h/?n=//a:b\\c@h/"),
        ("http://h/?n=/a:c@h/", "http://h/?n=/a:c@h/"),
        # a password with characters that end an authority
        ("http://user:hun/ter2@h/", "http://[redacted]@h/"),
        ("http://user:hun?ter2#x@h/@x", "http://[redacted]@x"),
        ("http://user:hun/ter2\n@h", "http://[redacted]@h"),
        ("a-b+c.d0Z://user:hun/ter2@h", "a-b+c.d0Z://[redacted]@h"),
        ("\x01//user:hun?ter2@h", "\x01//[redacted]@h"),
        ("/\\user:hun#ter2@h", "/\\[redacted]@h"),
        ("/user:pa/ss@h", "/user:pa/ss@h"),
        ("http://us/er:pa/ss@h/", "http://us/er:pa/ss@h/"),
        ("http://us?er:pa/ss@h/", "http://us?er:pa/ss@h/"),
        ("http://us#er:pa/ss@h/", "http://us#er:pa/ss@h/"),
        ("http://h:80/@x", "http://h:80/@x"),
        ("http://h:/@x", "http://h:/@x"),
        ("http://h:8080?@x", "http://h:8080?@x"),
        ("http://h:#@x", "http://h:#@x"),
        ("http://h:65535/@x", "http://h:65535/@x"),
        ("http://h:123456/@x", "http://[redacted]@x"),
        ("http://h:80x/@x", "http://[redacted]@x"),
        ("http://[::1]:80/@x", "http://[::1]:80/@x"),
        ("http://[::1]:8x/@x", "http://[::1]:8x/@x"),
        ("http://h/\ud800", "http://h/\\ud800"),
        ("http://h/" + "x" * 9000, "http://h/" + "x" * (8192 - 9)),
    ],
)
def test_user_names_are_not_shown(url: str, shown: str) -> None:
    assert safe_url(url) == shown


@pytest.mark.parametrize("text", ["\\" * 100_000, "a:" + "/" * 100_000, "a" * 100_000, "//" + ":" * 100_000])
def test_judging_and_showing_a_hostile_url_takes_no_time(text: str) -> None:
    start = time.process_time()
    check_url(text)
    safe_url(text)
    assert time.process_time() - start < 0.2


# -- addresses -----------------------------------------------------------------------------------------------------

# from the IANA IPv4 and IPv6 special-purpose address registries, and the multicast and reserved blocks beside them
V4_BLOCKS = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32", "192.0.0.170/31", "192.0.2.0/24",
    "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32",
]  # fmt: skip
V6_BLOCKS = [
    "::1/128", "::/128", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001::/32", "2001:1::1/128",
    "2001:1::2/128", "2001:1::3/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48", "2001:10::/28", "2001:20::/28",
    "2001:30::/28", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10",
    "fec0::/10", "ff00::/8",
]  # fmt: skip
NETWORKS = [ipaddress.ip_network(block) for block in V4_BLOCKS + V6_BLOCKS]


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_first_and_last_address_of_each_special_block_is_refused(
    network: ipaddress.IPv4Network | ipaddress.IPv6Network,
) -> None:
    middle = network[network.num_addresses // 2]
    for address in (network[0], network[-1], middle):
        assert check_address(str(address)) is not None, address


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_neighbours_of_each_special_block_are_public_unless_in_another(
    network: ipaddress.IPv4Network | ipaddress.IPv6Network,
) -> None:
    kind = type(network[0])
    for number in (int(network[0]) - 1, int(network[-1]) + 1):
        if not 0 <= number < 2**network.max_prefixlen:
            continue
        neighbour = kind(number)
        special = any(neighbour in other for other in NETWORKS if other.version == network.version)
        outside = network.version == 6 and neighbour not in ipaddress.ip_network("2000::/3")
        assert (check_address(str(neighbour)) is None) == (not special and not outside), neighbour


@given(st.integers(0, 2**32 - 1))
def test_every_ipv4_address_is_special_or_public(number: int) -> None:
    address = ipaddress.IPv4Address(number)
    special = any(address in network for network in NETWORKS if network.version == 4)
    assert (check_address(str(address)) is not None) == special


@given(st.ip_addresses(v=6))
def test_every_ipv6_address_outside_the_global_block_is_refused(address: ipaddress.IPv6Address) -> None:
    wrapping = [ipaddress.ip_network(block) for block in ("::ffff:0:0/96", "64:ff9b::/96")]
    if address not in ipaddress.ip_network("2000::/3") and not any(address in block for block in wrapping):
        assert check_address(str(address)) is not None


def wrappings(v4: str) -> dict[str, str]:
    """Return the IPv6 addresses that carry an IPv4 address."""
    low = int(ipaddress.IPv4Address(v4))
    return {
        "mapped": f"::ffff:{v4}",
        "nat64": f"64:ff9b::{v4}",
        "6to4": str(ipaddress.IPv6Address(0x2002 << 112 | low << 80 | 1)),
        "isatap": f"2606:4700::5efe:{v4}",
        "isatap-universal": f"2606:4700::200:5efe:{v4}",
    }


@pytest.mark.parametrize("v4", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "192.168.0.1", "0.0.0.0"])
@pytest.mark.parametrize("form", wrappings("0.0.0.0"))
def test_wrapped_private_address_is_refused_by_what_it_wraps(form: str, v4: str) -> None:
    assert str(check_address(wrappings(v4)[form])).startswith(f"wraps {v4}: ")


@pytest.mark.parametrize("form", wrappings("0.0.0.0"))
def test_wrapped_public_address_is_public(form: str) -> None:
    assert check_address(wrappings("93.184.215.14")[form]) is None


def tunnels(v4: str) -> list[str]:
    """Return the IPv6 addresses that carry an IPv4 address and are refused whatever it is."""
    low = int(ipaddress.IPv4Address(v4))
    teredo = 0x20010000 << 96
    client = teredo | 0x5DB8D70E << 64 | low ^ 0xFFFFFFFF
    server = teredo | low << 64 | 0x5DB8D70E ^ 0xFFFFFFFF
    return [f"::{v4}", str(ipaddress.IPv6Address(client)), str(ipaddress.IPv6Address(server))]


NEAR_BLOCKS = st.sampled_from([int(network[end]) for network in NETWORKS if network.version == 4 for end in (0, -1)])


@given(st.integers(0, 2**32 - 1) | st.tuples(NEAR_BLOCKS, st.integers(-1, 1)).map(lambda p: sum(p) % 2**32))
def test_every_ipv4_address_is_judged_alike_in_every_form(number: int) -> None:
    v4 = str(ipaddress.IPv4Address(number))
    why = check_address(v4)
    for address in wrappings(v4).values():
        assert check_address(address) == (why and f"wraps {v4}: {why}")
    for address in tunnels(v4):
        if number > 1 or not address.startswith("::"):  # `::` and `::1` have names of their own
            assert check_address(address) is not None
            assert why is None or check_address(address) == f"wraps {v4}: {why}"


@pytest.mark.parametrize(
    "address",
    [
        "::127.0.0.1",
        "::93.184.215.14",
        "::ffff:0:127.0.0.1",
        "64:ff9b:1::7f00:1",
        "2001:0:5db8:d70e::",
        "2001:0:5db8:d70e:0:0:80ff:fffe",
        "fe80::1%eth0",
        "2606:4700::1%1",
        "example.com",
        "127.1",
        "",
    ],
)
def test_tunnels_compatible_and_odd_addresses_are_refused(address: str) -> None:
    assert check_address(address) is not None


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("64:ff9b::808:808", True),
        ("64:ff9b::1:808:808", False),
        ("64:ff9a:ffff:ffff:ffff:ffff:808:808", False),
        ("::ffff:808:808", True),
        ("::1:0:808:808", False),
        ("::fffe:808:808", False),
        ("2002:a00:1::1", False),
        ("2003:a00:1::1", True),
        ("2606:4700::5efe:7f00:1", False),
        ("2606:4700::5eff:7f00:1", True),
        ("2606:4700::5efd:7f00:1", True),
        ("2001:ffff:a00:1::1", True),
    ],
)
def test_form_that_wraps_an_address_ends_where_its_block_ends(address: str, public: bool) -> None:
    assert (check_address(address) is None) == public


def test_teredo_names_the_private_client_it_wraps() -> None:
    client = int(ipaddress.IPv4Address("192.168.1.1")) ^ 0xFFFFFFFF
    address = ipaddress.IPv6Address(0x20010000 << 96 | 0x5DB8D70E << 64 | client)
    assert "wraps 192.168.1.1" in str(check_address(str(address)))


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.215.14", "2606:4700::1111", "2a00:1450:4001::1", "2620:fe::fe"])
def test_public_addresses_are_public(address: str) -> None:
    assert check_address(address) is None


# -- what the user permits -----------------------------------------------------------------------------------------


def test_permitted_host_and_port_permit_nothing_else() -> None:
    allow = Allow.parse(["127.0.0.1:8080"])
    assert allow.check(target("http://127.0.0.1:8080/"), "127.0.0.1") is None
    assert allow.check(target("http://127.0.0.1:8081/"), "127.0.0.1") is not None
    assert allow.check(target("http://127.0.0.1/"), "127.0.0.1") is not None
    assert allow.check(target("http://127.0.0.2:8080/"), "127.0.0.2") is not None
    assert allow.check(target("http://localhost:8080/"), "127.0.0.1") is not None
    assert allow.check(target("http://example.com/"), "93.184.215.14") is None


def test_permitted_host_without_port_permits_every_port() -> None:
    allow = Allow.parse(["intranet.example", "[::1]", "10.0.0.7"])
    assert allow.check(target("http://intranet.example:99/"), "10.1.1.1") is None
    assert allow.check(target("https://[::1]:8443/"), "::1") is None
    assert allow.check(target("http://10.0.0.7/"), "10.0.0.7") is None
    assert allow.check(target("http://sub.intranet.example/"), "10.1.1.1") is not None


@pytest.mark.parametrize("address", ["169.254.1.1", "224.0.0.1", "0.0.0.0", "[fe80::1]", "[ff02::1]"])
def test_permitted_address_is_permitted_as_it_stands(address: str) -> None:
    allow = Allow.parse([address])
    assert allow.check(target(f"http://{address}/"), address.strip("[]")) is None
    assert refusal(f"http://{address}/", allow) is None


@pytest.mark.parametrize("address", ["169.254.169.254", "224.0.0.1", "0.0.0.0", "fe80::1", "::ffff:169.254.169.254"])
def test_permitted_name_does_not_open_link_local_or_multicast(address: str) -> None:
    allow = Allow.parse(["intranet.example"])
    assert allow.check(target("http://intranet.example/"), address) is not None


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "192.168.1.1", "100.64.0.1", "fd00::1", "::1"])
def test_permitted_name_opens_ones_own_networks(address: str) -> None:
    allow = Allow.parse(["intranet.example"])
    assert allow.check(target("http://intranet.example/"), address) is None


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:4700::1111", "::ffff:10.0.0.1", "64:ff9b::7f00:1"])
def test_permitted_name_may_be_public_and_in_any_form(address: str) -> None:
    allow = Allow.parse(["intranet.example"])
    assert allow.check(target("http://intranet.example/"), address) is None


def test_name_is_as_long_as_a_name_may_be() -> None:
    name = "a." * 123 + "example"
    assert target(f"http://{name}/").host == name
    assert len(name) == 253
    assert refusal(f"http://a{name}/") == "url"


@pytest.mark.parametrize("name", ["localhost", "localhost.", "a.localhost", "a.localhost."])
def test_name_of_this_machine_is_known_with_and_without_its_dot(name: str) -> None:
    assert is_loopback_name(name)
    assert not is_loopback_name(name.replace("local", "remote"))


def test_permitted_hosts_are_read_in_their_normal_form() -> None:
    allow = Allow.parse(["LOCALHOST:80", "::1", "BÜCHER.example"])
    assert allow.entries == {("localhost", 80), ("::1", None), ("xn--bcher-kva.example", None)}


@pytest.mark.parametrize("value", ["", "a b", "http://localhost", "localhost:port", "127.1", "localhost:70000", "a@b"])
def test_what_is_no_host_cannot_be_permitted(value: str) -> None:
    with pytest.raises(UsageError, match="not a host to allow"):
        Allow.parse([value])


# -- what can be said without the network --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://10.0.0.1/", "address"),
        ("http://169.254.169.254/latest/meta-data/", "address"),
        ("http://127.0.0.1:8080/", "address"),
        ("http://[::1]/", "address"),
        ("http://[::ffff:10.0.0.1]/", "address"),
        ("http://[64:ff9b::7f00:1]/", "address"),
        ("http://localhost/", "address"),
        ("http://LOCALHOST.:80/", "address"),
        ("http://a.b.localhost/", "address"),
        ("http://0x7f000001/", "url"),
        ("http://2130706433/", "url"),
        ("http://127.1/", "url"),
        ("http://0177.0.0.1/", "url"),
        ("http://[fe80::1%25eth0]/", "url"),
        ("ftp://a.example/", "scheme"),
        ("http://user@a.example/", "credentials"),
        ("http://a.example/", None),
        ("http://8.8.8.8/", None),
        ("http://[2606:4700::1111]/", None),
        ("http://intranet/", None),  # a name that the network may well know as a public one
        ("http://router.internal/", None),
        ("http://notlocalhost/", None),
        ("http://localhost.example/", None),
    ],
)
def test_refusal_is_told_without_the_network_where_it_is_certain(url: str, reason: str | None) -> None:
    assert refusal(url) == reason


SPELLINGS = """
    127.0.0.1 127.0.0.1. 127.1 127.0.1 127.1. 127.255.255.254 127.00.0.1 127.0.0.001 127.0.0.1:80 2130706433
    2130706433. 02130706433 0x7f000001 0X7F000001 0x7F.1 0x7f.0.0.1 0x7f.0x0.0x0.0x1 017700000001 0177.1
    0177.0.0.1 0177.0.0.01 0177.0x0.0.1 00000177.0.0.1 127.0x1 127.0.0x1 0000127.0.0.1 0 0.0.0.0 00 0x0 0x 0.0
    127.0.0.0x1 127.0.0.1%00 127.0.0.1%2e %31%32%37.0.0.1 １２７.０.０.１ 127。0。0。1 127．0．0．1 127｡0｡0｡1
    ①②⑦.⓪.⓪.① １２７。１ 𝟏𝟐𝟕.𝟎.𝟎.𝟏 0ｘ7f.1 ²130706433 [::1] [0:0:0:0:0:0:0:1] [0000::0001] [::0.0.0.1] [::]
    [::127.0.0.1] [::7f00:1] [::ffff:127.0.0.1] [::FFFF:7F00:1] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:0:127.0.0.1]
    [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:7f00:0001::1]
    [2001:0:7f00:1::] [2001:0:5db8:d70e::80ff:fffe] [fe80::5efe:7f00:1] [2606:4700::5efe:127.0.0.1]
    [2606:4700::200:5efe:7f00:1] [::1%25lo] [::1%lo] [::1]:80 [::ffff:127.1] localhost LOCALHOST LocalHost.
    localhost:80 a.localhost a.b.LOCALHOST. ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ localhost。 a。localhost 𝐥ocalhost
    localhoſt example.com@127.0.0.1 example.com:80@127.0.0.1 /127.0.0.1
"""
LOOPBACK = [
    *SPELLINGS.split(),
    "loc\xadalhost",
    "127.0.0.1\\@example.com",
    "127.0.0.1\t",
    "\t127.0.0.1",
    "127.0.0.1 ",
    "127.0.0.1\u3000",
    "127.0.0.1\x00.example.com",
    "\\127.0.0.1",
]


@pytest.mark.parametrize("scheme", ["http://", "HTTPS://"])
@pytest.mark.parametrize("host", LOOPBACK)
def test_loopback_in_any_spelling_is_refused(scheme: str, host: str) -> None:
    assert refusal(f"{scheme}{host}/x?y") is not None


def test_refusal_has_the_limit_of_the_check() -> None:
    assert refusal("http://a.example/" + "x" * (8192 - 17)) is None
    assert refusal("http://a.example/" + "x" * (8193 - 17)) == "url"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "a.localhost", "[::1]", "10.0.0.1"])
def test_host_that_the_user_permits_is_not_refused(host: str) -> None:
    url = f"http://{host}:8080/x"
    assert refusal(url, Allow.parse([host])) is None
    assert refusal(url, Allow.parse([f"{host}:8080"])) is None
    assert refusal(url, Allow.parse([f"{host}:81"])) == "address"


@given(st.ip_addresses())
def test_refusal_of_an_address_is_that_of_the_dial(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    host = f"[{address}]" if address.version == 6 else str(address)
    assert (refusal(f"http://{host}/") is None) == (check_address(str(address)) is None)


# -- looking a name up ---------------------------------------------------------------------------------------------


def test_address_is_not_looked_up() -> None:
    def never(host: str, port: int) -> list[str]:
        raise AssertionError(f"{host} was looked up")

    deadline = Deadline(5.0, SystemClock())
    assert resolve(target("http://8.8.8.8/"), Allow(), deadline, never) == ("8.8.8.8",)
    assert isinstance(resolve(target("http://10.0.0.1/"), Allow(), deadline, never), Refusal)
    assert isinstance(resolve(target("http://localhost/"), Allow(), deadline, never), Refusal)


@pytest.mark.parametrize(
    "answers", [["10.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::1", "8.8.8.8"], ["no address"]], ids=str
)
def test_one_answer_that_is_not_public_refuses_the_name(answers: list[str]) -> None:
    found = resolve(target("http://a.example/"), Allow(), Deadline(5.0, SystemClock()), lambda host, port: answers)
    assert isinstance(found, Refusal)
    assert found.reason == "address"


def test_permitted_name_of_this_machine_is_looked_up() -> None:
    asked: list[tuple[str, int, bool]] = []

    def answer(host: str, port: int) -> list[str]:
        asked.append((host, port, threading.current_thread().daemon))
        return ["::1", "127.0.0.1"]

    allow, deadline = Allow.parse(["localhost:81"]), Deadline(5.0, SystemClock())
    assert resolve(target("http://localhost:81/"), allow, deadline, answer) == ("::1", "127.0.0.1")
    assert isinstance(resolve(target("http://localhost:82/"), allow, deadline, answer), Refusal)
    assert asked == [("localhost", 81, True)]


@pytest.mark.parametrize(
    ("url", "start", "end"),
    [
        ("http://10.0.0.1/", "10.0.0.1 is not public: ", "--allow-private 10.0.0.1:80"),
        ("http://[::1]:8080/", "::1 is not public: ", "--allow-private [::1]:8080"),
        ("http://a.example/", "a.example is at 127.0.0.1, which is not public: ", "--allow-private a.example:80"),
    ],
)
def test_refusal_names_the_address_and_what_permits_it(url: str, start: str, end: str) -> None:
    found = resolve(target(url), Allow(), Deadline(5.0, SystemClock()), lambda host, port: ["127.0.0.1"])
    assert isinstance(found, Refusal)
    assert found.detail.startswith(start)
    assert found.detail.endswith(end)


def test_resolver_of_the_machine_gives_each_address_once() -> None:
    assert system_resolver("127.0.0.1", 80) == ["127.0.0.1"]
    assert system_resolver("::1", 443) == ["::1"]


def test_deadline_keeps_nothing_of_a_look_up_that_ended() -> None:
    deadline, cut = Deadline(5.0, SystemClock()), []
    for number in range(3):
        found = resolve(target("http://a.example/"), Allow(), deadline, lambda host, port: ["8.8.8.8"])
        assert found == ("8.8.8.8",), number
    deadline.on_cut(lambda: cut.append(1))
    assert len(deadline._wake) == 1
    deadline.cut()
    assert cut == [1]
