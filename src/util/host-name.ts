import { isIPv6 } from 'node:net';
import { withoutTrailing } from './without-trailing.ts';

/**
 * The host of an address in the one form in which hosts are compared: lower case, punycode, numbers as dotted IPv4,
 * IPv6 without brackets, no trailing dot. Whatever spelling reaches the same host gives the same text.
 */
export function hostNameOf(url: URL): string {
  // The URL parser has done the rest: case, punycode, percent signs, and numbers such as 0x7f.1.
  const host = withoutTrailing(url.hostname.replace(/^\[|\]$/g, ''), '.');
  return mappedIpv4(host) ?? host;
}

/** The same for a host that somebody wrote, without a port; null when it is none. */
export function parseHostName(text: string): string | null {
  const host = isIPv6(text) ? `[${text}]` : text;
  if (/[\s/?#@\\]/.test(host) || (host.includes(':') && !/^\[.*\]$/.test(host))) return null;
  return (URL.canParse(`http://${host}/`) && hostNameOf(new URL(`http://${host}/`))) || null;
}

/** `::ffff:7f00:1` is how the URL parser writes 127.0.0.1 in its IPv6 form. */
function mappedIpv4(host: string): string | null {
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return null;
  return [high, low]
    .map((part) => Number.parseInt(part, 16))
    .flatMap((part) => [part >> 8, part & 255])
    .join('.');
}
