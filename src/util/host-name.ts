import { isIPv6 } from 'node:net';
import { withoutTrailing } from './text/without-trailing.ts';

/**
 * The host of an address in the form in which hosts are compared: lower case, punycode, numbers as dotted IPv4, IPv6
 * without brackets, no trailing dot. All spellings of one host give the same text.
 */
export function hostNameOf(url: URL): string {
  // The URL parser did the rest: case, punycode, percent signs, and numbers such as 0x7f.1.
  const host = withoutTrailing(url.hostname.replace(/^\[|\]$/g, ''), '.');
  return mappedIpv4(host) ?? host;
}

/** The comparable form of a host that a user wrote, without a port; null when it is not a host. */
export function parseHostName(text: string): string | null {
  const host = isIPv6(text) ? `[${text}]` : text;
  if (/[\s/?#@\\]/.test(host) || (host.includes(':') && !/^\[.*\]$/.test(host))) return null;
  return (URL.canParse(`http://${host}/`) && hostNameOf(new URL(`http://${host}/`))) || null;
}

/** The URL parser writes the IPv6 form of 127.0.0.1 as `::ffff:7f00:1`. */
function mappedIpv4(host: string): string | null {
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return null;
  return [high, low]
    .map((part) => Number.parseInt(part, 16))
    .flatMap((part) => [part >> 8, part & 255])
    .join('.');
}
