import { signed } from '../../src/model/aws/sigv4.ts';
import type { SigningKeys } from '../../src/model/http/credential.ts';
import type { CloudRequest } from './fake-clouds.ts';

/** Computes the signature again from what arrived; null when it is the one that was sent. */
export function signatureProblem({ method, path, headers, text }: CloudRequest, keys: SigningKeys): string | null {
  const { authorization = '', host = '' } = headers;
  const names = /SignedHeaders=([^,]*)/.exec(authorization)?.[1]?.split(';') ?? [];
  const [, y, m, d, h, min, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(headers['x-amz-date'] ?? '') ?? [];
  const now = Date.UTC(Number(y), Number(m) - 1, Number(d), Number(h), Number(min), Number(s));
  const covered = Object.fromEntries(names.map((name) => [name, headers[name] ?? '']));
  const request = {
    method: method as 'POST',
    url: new URL(`http://${host}${path}`),
    headers: covered,
    body: Buffer.from(text),
  };
  const again = signed(request, { keys, region: 'us-east-1', service: 'bedrock', now });
  return again.authorization === authorization ? null : 'The request signature we calculated does not match.';
}
