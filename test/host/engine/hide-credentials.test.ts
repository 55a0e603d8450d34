import { describe, expect, test } from 'vitest';
import {
  createObtainedSecrets,
  credentialFreeLogger,
  credentialHider,
} from '../../../src/host/engine/hide-credentials.ts';

const KEY = 'sk-0123456789';

describe('[R-16] hiding credentials', () => {
  test('takes them out of every text, and hands back what holds none as it is', () => {
    const hide = credentialHider(() => [KEY, `${KEY}-long`, 'short']);
    expect(hide({ a: [`x ${KEY}-long y`, { b: KEY }], c: 'short', d: 1 })).toEqual({
      a: ['x [credential hidden] y', { b: '[credential hidden]' }],
      c: 'short',
      d: 1,
    });
    const clean = { a: ['x'] };
    expect(hide(clean)).toBe(clean);
  });

  test('knows a key from the moment on in which a helper gives it, and also those before', async () => {
    const obtained = createObtainedSecrets();
    const hide = credentialHider(obtained.values);
    let count = 0;
    const source = obtained.noting(async () => ({ apiKey: `${KEY}-${++count}\n`, authToken: `token-number-${count}` }));
    expect(hide(`${KEY}-1`)).toBe(`${KEY}-1`);
    expect(await source()).toEqual({ apiKey: `${KEY}-1\n`, authToken: 'token-number-1' });
    await source();
    expect(hide(`${KEY}-1 ${KEY}-2 token-number-2`)).toBe(Array(3).fill('[credential hidden]').join(' '));
  });

  test('does not remember for ever', async () => {
    const obtained = createObtainedSecrets();
    let count = 0;
    const source = obtained.noting(async () => ({ apiKey: `${KEY}-${count++}` }));
    for (let i = 0; i < 1000; i++) await source();
    expect(obtained.values()).toHaveLength(256);
    expect(obtained.values()).toContain(`${KEY}-999`);
  });

  test('reaches what is logged, its facts too', () => {
    const lines: unknown[] = [];
    const log = credentialFreeLogger(
      (...line) => lines.push(line),
      () => [KEY],
    );
    log('warn', `bad ${KEY}`, { why: [KEY], status: 401 });
    log('debug', 'fine');
    expect(lines).toEqual([
      ['warn', 'bad [credential hidden]', { why: ['[credential hidden]'], status: 401 }],
      ['debug', 'fine'],
    ]);
  });
});
