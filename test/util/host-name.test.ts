import { expect, test } from 'vitest';
import { hostNameOf, parseHostName } from '../../src/util/host-name.ts';

test.each([
  ['https://EXAMPLE.com/x', 'example.com'],
  ['https://example.com./', 'example.com'],
  ['https://example.com..:8443/', 'example.com'],
  ['https://ex%61mple.com/', 'example.com'],
  ['https://exa\tmple.com/', 'example.com'],
  ['https://example。com/', 'example.com'],
  ['https://münchen.de/', 'xn--mnchen-3ya.de'],
  ['https://good.com@evil.com/', 'evil.com'],
  ['https://good.com\\@evil.com/', 'good.com'],
  ['http://0x7f.1/', '127.0.0.1'],
  ['http://2130706433/', '127.0.0.1'],
  ['http://017700000001/', '127.0.0.1'],
  ['http://127.1/', '127.0.0.1'],
  ['http://127.0.0.1./', '127.0.0.1'],
  ['http://[::1]/', '::1'],
  ['http://[0:0:0:0:0:0:0:1]/', '::1'],
  ['http://[::ffff:127.0.0.1]/', '127.0.0.1'],
  ['http://[::ffff:5db8:d822]/', '93.184.216.34'],
])('the host of %s is %s', (url, host) => {
  expect(hostNameOf(new URL(url))).toBe(host);
});

test.each([
  ['Example.COM.', 'example.com'],
  ['münchen.de', 'xn--mnchen-3ya.de'],
  ['::1', '::1'],
  ['[::1]', '::1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['0x7f.1', '127.0.0.1'],
  ['example.com:80', null],
  ['https://example.com', null],
  ['example.com/x', null],
  ['a@example.com', null],
  ['exa mple.com', null],
  ['', null],
  ['.', null],
])('%j is read as %j', (text, host) => {
  expect(parseHostName(text)).toBe(host);
});
