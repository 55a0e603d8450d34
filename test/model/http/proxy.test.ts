import { describe, expect, it } from 'vitest';
import { proxyFor } from '../../../src/model/http/proxy.ts';

const http = new URL('http://api.example.com/v1');
const https = new URL('https://api.example.com/v1');

describe('proxyFor', () => {
  it.each([
    [https, { HTTPS_PROXY: 'http://p:1' }, 'http://p:1/'],
    [https, { HTTP_PROXY: 'http://p:1' }, null],
    [http, { HTTP_PROXY: 'http://p:1' }, 'http://p:1/'],
    [http, { HTTP_PROXY: 'http://p:1', http_proxy: 'http://q:2' }, 'http://q:2/'],
    [http, { HTTP_PROXY: 'p:3128' }, 'http://p:3128/'],
    [http, { HTTP_PROXY: '  ' }, null],
    [http, {}, null],
    [new URL('http://169.254.170.2/v2/credentials'), { HTTP_PROXY: 'http://p:1' }, null],
    [new URL('http://[fd00:ec2::23]/v1/credentials'), { HTTP_PROXY: 'http://p:1' }, null],
  ])('%s with %j goes through %s', (target, env, expected) => {
    expect(proxyFor(target, env)?.href ?? null).toBe(expected);
  });

  it.each([
    ['api.example.com', true],
    ['example.com', true],
    ['.example.com', true],
    ['*.example.com', true],
    ['*', true],
    ['other.com, EXAMPLE.com', true],
    ['example.com:443', true],
    ['example.com:8443', false],
    ['ample.com', false],
    ['other.com', false],
    ['', false],
  ])('NO_PROXY=%s exempts: %s', (noProxy, isExempt) => {
    expect(proxyFor(https, { HTTPS_PROXY: 'http://p:1', NO_PROXY: noProxy }) === null).toBe(isExempt);
  });

  it('refuses an address that is none, without showing it', () => {
    expect(() => proxyFor(https, { HTTPS_PROXY: 'socks5://user:secret@p' })).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.not.stringContaining('secret') }),
    );
  });
});
