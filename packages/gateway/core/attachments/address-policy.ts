import { BlockList, isIP } from "node:net";

/** Whether the gateway may connect to a host. Checked for the name in an address, and for every IP address that it resolves to. */
export type AddressPolicy = (host: string) => boolean;

/** IPv4 networks outside the public internet: this host and network, private, carrier-grade NAT, link-local, tests, multicast. */
const privateNetworks: readonly [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // looks public, but inside Azure it is the host's own service
  ["169.254.0.0", 16], // clouds serve credentials here
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** The public internet in IPv6: global addresses and embedded IPv4. An allowlist: new special ranges keep being assigned. */
const publicNetworks: readonly [string, number][] = [
  ["2000::", 3],
  ["64:ff9b::", 96],
  ["::ffff:0:0", 96],
];

/** Networks inside the global ones that are not public: Teredo tunnels, identifiers that are not addresses, documentation. */
const reservedNetworks: readonly [string, number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
];

const refused = new BlockList();
for (const [network, bits] of privateNetworks) {
  const [a = 0, b = 0, c = 0, d = 0] = network.split(".").map(Number);
  const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  refused.addSubnet(network, bits, "ipv4"); // also as `::ffff:a.b.c.d`
  refused.addSubnet(`64:ff9b::${hex}`, 96 + bits, "ipv6"); // NAT64
  refused.addSubnet(`2002:${hex}::`, 16 + bits, "ipv6"); // 6to4
}
for (const [network, bits] of reservedNetworks) refused.addSubnet(network, bits, "ipv6");
const global = new BlockList();
for (const [network, bits] of publicNetworks) global.addSubnet(network, bits, "ipv6");

const privateSuffixes = [".localhost", ".internal", ".local", ".localdomain", ".lan", ".intranet", ".home.arpa"];

/** Allows only the public internet, against SSRF. No setting adds exceptions: every client of the gateway could use them. */
export const publicOnly: AddressPolicy = (host) => {
  switch (isIP(host)) {
    case 4:
      return !refused.check(host, "ipv4");
    case 6:
      return global.check(host, "ipv6") && !refused.check(host, "ipv6");
    default: {
      const name = host.toLowerCase().replace(/\.$/, "");
      // A name without a dot belongs to the local network, such as `localhost`.
      return name.includes(".") && !privateSuffixes.some((suffix) => name.endsWith(suffix));
    }
  }
};
