import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/admin/html/redact.ts';

const redactor = (secrets: readonly string[] = []) => createRedactor({ secrets, homes: ['/home/ann'] });
const a = (length: number) => 'aB3'.repeat(length).slice(0, length);

describe('masking', () => {
  // Put together here, so that no file holds what looks like a key.
  const SECRETS: [name: string, text: string][] = [
    ['a key of Anthropic', `sk-${`ant-api03-${a(40)}`}`],
    ['a key of OpenAI', `sk-${`proj-${a(40)}`}`],
    ['a key of OpenRouter', `sk-${`or-v1-${a(40)}`}`],
    ['a key of Google', `AIza${a(35)}`],
    ['a key of AWS', `AKIA${'A1B2C3D4E5F6G7H8'}`],
    ['a token of GitHub', `ghp_${a(36)}`],
    ['a fine token of GitHub', `github_pat_${a(40)}`],
    ['a token of GitLab', `glpat-${a(20)}`],
    ['a token of npm', `npm_${a(36)}`],
    ['a token of Slack', `xoxb-${a(30)}`],
    ['a token of the server', `hdl_0a1b2c3d4e5f_${a(43)}`],
    ['a signed token', `eyJ${a(20)}.eyJ${a(20)}.${a(30)}`],
    ['a header', `Bearer ${a(30)}`],
    ['an address with a password', `s3cr3t-${a(6)}`],
    ['a variable', `hunter2-${a(6)}`],
    ['a private key', `-----BEGIN RSA ${'PRIVATE KEY'}-----\n${a(60)}\n-----END RSA ${'PRIVATE KEY'}-----`],
  ];
  const around: Record<string, (text: string) => string> = {
    'an address with a password': (text) => `postgres://ann:${text}@db.example/x`,
    'a variable': (text) => `export API_KEY="${text}"\n`,
  };

  test.each(SECRETS)('%s is masked, wherever it stands', (name, secret) => {
    const text = (around[name] ?? ((each: string) => `before ${each} after`))(secret);
    const own = redactor();
    const masked = own.redact({ message: { content: [{ type: 'text', text }] }, [text]: 1 });
    const core = secret.replace(/^Bearer /, '');
    expect(JSON.stringify(masked)).not.toContain(JSON.stringify(core).slice(1, -1));
    expect(JSON.stringify(masked)).toContain('[redacted');
    expect(own.count).toBeGreaterThanOrEqual(2);
  });

  test('values of the environment and the path of the home are masked', () => {
    const own = redactor(['correct-horse-battery']);
    expect(own.redact(['x correct-horse-battery y', '/home/ann/work/a.ts'])).toEqual(['x [redacted] y', '~/work/a.ts']);
    expect(own.count).toBe(1);
  });

  test('what only looks a little like one stays', () => {
    const texts = [
      'the token count is 12',
      'const key = values[0]',
      'sk-8 is a road',
      'password: [hidden]',
      'a secret: $SECRET',
    ];
    const own = redactor();
    expect(own.redact(texts)).toEqual(texts);
    expect(own.count).toBe(0);
  });

  test('ids, numbers and the bytes of images stay', () => {
    const entry = {
      uuid: '3f2a9c11-0000-4000-8000-000000000001',
      n: 5,
      source: { type: 'base64', data: `sk-${a(40)}` },
    };
    expect(redactor().redact(entry)).toEqual(entry);
  });
});
