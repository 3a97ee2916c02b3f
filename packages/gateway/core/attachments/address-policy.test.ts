import { describe, expect, it } from "vitest";
import { publicOnly } from "./address-policy.js";

describe("the policy for the public internet", () => {
  it.each([
    ["IPv4", "8.8.8.8", "1.1.1.1", "223.255.255.255"],
    ["neighbours of private networks", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.1", "169.253.0.1"],
    ["IPv6", "2606:4700:4700::1111", "2a00:1450::1"],
    ["public IPv4 in IPv6", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"],
    ["names", "example.com", "example.com.", "internal.example.com", "local.example"],
  ])("allows %s", (_, ...hosts) => {
    expect(hosts.filter((host) => !publicOnly(host))).toEqual([]);
  });

  it.each([
    ["this host", "0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.254", "::", "::1"],
    ["private networks", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff::1", "fec0::1"],
    ["a cloud's credentials", "169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254"],
    ["link-local addresses", "169.254.0.1", "fe80::1", "febf::1", "fe80::1%eth0"],
    ["carriers' own networks", "100.64.0.1", "100.127.255.255"],
    ["multicast and broadcast", "224.0.0.1", "239.255.255.255", "255.255.255.255", "240.0.0.1", "ff02::1"],
    ["networks for tests", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"],
    ["networks of IPv6 for tests", "2001:db8::1", "3fff::1", "100::1"],
    ["tunnels", "2001::1", "2001:0:7f00:1::", "192.88.99.1"],
    ["IPv4 in IPv6", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254"],
    ["deprecated IPv4 in IPv6", "::127.0.0.1", "::8.8.8.8"],
    ["private IPv4 behind NAT64", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::c0a8:101"],
    ["NAT64 of a network's own", "64:ff9b:1::808:808"],
    ["private IPv4 behind 6to4", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:a00:1::1", "2002:c0a8:101::1"],
    ["names of this machine", "localhost", "LOCALHOST", "localhost.", "localhost.localdomain"],
    ["names below those of this machine", "a.localhost", "a.localhost."],
    ["names of the local network", "router", "metadata.google.internal", "printer.local", "nas.lan", "nas.home.arpa"],
    ["invalid hosts", "", ".", "1.2.3.4.local"],
  ])("refuses %s", (_, ...hosts) => {
    expect(hosts.filter((host) => publicOnly(host))).toEqual([]);
  });
});
