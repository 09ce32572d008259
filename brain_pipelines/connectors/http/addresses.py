"""IP address policy: public addresses and networks allowed by the settings may be connected to.

Cloud metadata services stay blocked even inside an allowed network. This module resolves no names and opens no
connections.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# Services that give credentials to any client that can reach them: AWS, GCP, Azure, OpenStack, ECS and EKS, Alibaba,
# Oracle, and the wire server of Azure, whose address is public.
METADATA = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254",
        "169.254.169.253",
        "169.254.169.123",
        "169.254.170.2",
        "169.254.170.23",
        "100.100.100.200",
        "192.0.0.192",
        "168.63.129.16",
        "fd00:ec2::254",
        "fd00:ec2::253",
        "fd00:ec2::123",
        "fd00:ec2::23",
        "fd20:ce::254",
        "fe80::a9fe:a9fe",
    )
)
# IANA's special-purpose registry for IPv4 (RFC 6890 and its updates), multicast and the reserved rest.
_CLOSED_4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
# IPv6 is the other way round: only 2000::/3 is global unicast, and these ranges of it are not assigned to hosts.
# 2001::/23 holds Teredo and 2002::/16 is 6to4; both embed an IPv4 address that a relay forwards to.
_OPEN_6 = IPv6Network("2000::/3")
_CLOSED_6 = tuple(
    IPv6Network(text)
    for text in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3ffe::/16", "3fff::/20")
)
_NAT64 = IPv6Network("64:ff9b::/96")


def parse_networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """Return networks from their CIDR notation.

    Raises:
        ValueError: for anything else.
    """
    return tuple(ip_network(text) for text in texts)


def unwrapped(address: Address) -> Address:
    """Return the IPv4 address embedded in an IPv6 address (mapped or NAT64), else the address itself."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def why_refused(address: Address, allowed: Sequence[Network] = ()) -> str | None:
    """Return the reason why an address must not be connected to, or None if it is allowed."""
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return "an address with a zone"
    inner = unwrapped(address)
    if inner in METADATA or address in METADATA:
        return "a metadata address"
    if any(one.version == network.version and one in network for one in (inner, address) for network in allowed):
        return None
    return None if _is_public(inner) else "not a public address"


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_4)
    return address in _OPEN_6 and not any(address in network for network in _CLOSED_6)
