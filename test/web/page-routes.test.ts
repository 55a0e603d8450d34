import { expect, test } from 'vitest';
import { pageRoutes } from '../../src/web/page-routes.ts';

const FILES = { notices: '', html: '<!doctype html><p>page</p>', script: 'globalThis.x = 1;', style: 'p {}' };

test('[W-6] files of the page forbid scripts and styles of a text, frames, and text as markup', async () => {
  const answers = await Promise.all(pageRoutes(FILES).map(async (each) => each.handle({} as never)));
  expect(answers).toHaveLength(3);
  for (const answer of answers) {
    const { 'content-security-policy': policy = '' } = (answer as { headers: Record<string, string> }).headers;
    const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]));
    expect(rules.get('default-src')).toEqual(["'none'"]);
    expect([rules.get('script-src'), rules.get('style-src')]).toEqual([["'self'"], ["'self'"]]);
    expect([rules.get('base-uri'), rules.get('frame-ancestors')]).toEqual([["'none'"], ["'none'"]]);
    expect(rules.get('require-trusted-types-for')).toEqual(["'script'"]);
    expect(rules.get('trusted-types')).toEqual(["'none'"]);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  }
});
