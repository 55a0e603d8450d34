import { BlockList, isIP } from 'node:net';

/** Addresses that are not the public internet: this machine, the local network, multicast, reserved. */
const IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

const IPV6 = [
  ['::', 96], // unspecified, loopback, and the old way to embed IPv4
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32], // Teredo and 6to4 tunnel to any IPv4 address
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const;

/** Made once, because every address of a name is checked. */
const PRIVATE = privateAddresses();

/**
 * True when an IP address, as a resolver gives it, is not one of the public internet. Anything else counts as private.
 */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '');
  const version = isIP(bare);
  if (version === 0) return true;
  return PRIVATE.check(bare, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * True when the spelling of a host shows that it is not of the public internet. `host` has the form of `hostNameOf`.
 */
export function isPrivateHost(host: string): boolean {
  if (isIP(host) !== 0) return isPrivateAddress(host);
  // A name without a dot is looked up in the local network.
  return !host.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(host);
}

function privateAddresses(): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of IPV4) {
    list.addSubnet(net, prefix, 'ipv4'); // covers ::ffff:127.0.0.1 and the like, too
    list.addSubnet(`64:ff9b::${net}`, 96 + prefix, 'ipv6'); // how networks without IPv4 reach it
  }
  for (const [net, prefix] of IPV6) list.addSubnet(net, prefix, 'ipv6');
  return list;
}
