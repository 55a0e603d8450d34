import { createHash, createHmac } from 'node:crypto';
import type { SigningKeys } from '../http/credential.ts';
import type { UnsignedRequest } from '../http/endpoint.ts';

export interface SigningScope {
  keys: SigningKeys;
  region: string;
  service: string;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * The headers of a request with a signature of version 4. All given headers are signed, so none may be changed
 * afterwards; `host` is added from the address.
 */
export function signed({ method, url, headers, body }: UnsignedRequest, scope: SigningScope): Record<string, string> {
  const { keys, region, service, now } = scope;
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const payload = hash(body);
  const all: Record<string, string> = {
    ...lowerCased(headers),
    host: url.host,
    'x-amz-date': time,
    'x-amz-content-sha256': payload,
    ...(keys.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
  };
  const names = Object.keys(all).sort();
  const signedNames = names.join(';');
  const canonical = [
    method,
    canonicalPath(url),
    canonicalQuery(url),
    ...names.map((name) => `${name}:${all[name]?.trim().replace(/ +/g, ' ')}`),
    '',
    signedNames,
    payload,
  ].join('\n');
  const credentialScope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, credentialScope, hash(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  const { host: _, ...sent } = all;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${credentialScope}, SignedHeaders=${signedNames}, Signature=${signature}`,
  };
}

function hash(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Each segment as it travels, and encoded once more, as services other than S3 want it. */
function canonicalPath(url: URL): string {
  return url.pathname
    .split('/')
    .map((segment) => encoded(segment))
    .join('/');
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}
