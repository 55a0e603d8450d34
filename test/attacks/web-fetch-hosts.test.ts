import { describe, expect, it } from 'vitest';
import { type Call, decide } from '../../src/permissions/decide.ts';
import { createWebFetchTool } from '../../src/tools/web/web-fetch.ts';
import type { Workspace } from '../../src/tools/workspace.ts';
import { policyFor, rules } from '../permissions/policy-for.ts';

const tool = createWebFetchTool({ proxyFor: () => null, proxyAuthorization: () => undefined });

function fetching(url: string): Call {
  const input = { url, prompt: '' };
  return { toolName: 'WebFetch', input, access: tool.access(input, {} as Workspace) };
}

describe('CVE-2026-24052: hosts are compared as hosts, not as text', () => {
  it.each([
    'https://evil.com/',
    'https://EVIL.com/',
    'https://evil.com./',
    'https://evil.com:8443/',
    'http://evil.com:80/',
    'https://sub.evil.com/',
    'https://good.com@evil.com/',
    'https://good.com:80@evil.com/',
    'https://good.com%2f@evil.com/',
    'https://ev%69l.com/',
    'https://ev\til.com/',
    ' https://evil.com/',
    'https:evil.com/',
    'https:\\\\evil.com\\',
    'https://evil。com/',
    'https://ｅｖｉｌ.com/',
    'https://e\u00advil.com/',
    'https://evil.com#good.com',
    'https://evil.com?good.com',
  ])('a deny rule for evil.com holds for %j, in every mode', (url) => {
    for (const mode of ['bypassPermissions', 'default'] as const) {
      const policy = policyFor({ mode, deny: rules('WebFetch(domain:evil.com)'), allow: rules('WebFetch') });
      expect(decide(fetching(url), policy)).toMatchObject({ behavior: 'deny', layer: 'deny-rule' });
    }
  });

  it.each([
    'https://good.com.evil.com/',
    'https://good.comevil.com/',
    'https://evilgood.com/',
    'https://good.com@evil.com/',
    'https://good.com%40evil.com/',
    'https://evil.com/good.com',
    'https://evil.com\\good.com',
    'https://evil.com?https://good.com',
    'https://evil.com#@good.com',
    'https://evil.com:443@evil.com:443/good.com',
    'https://gооd.com/', // with Cyrillic letters
    'https://good.com\u3002evil.com/',
    'good.com',
    '//good.com',
  ])('an allow rule for good.com does not cover %j', (url) => {
    const policy = policyFor({ allow: rules('WebFetch(domain:good.com)', 'WebFetch(domain:*.good.com)') });
    expect(decide(fetching(url), policy).behavior).toBe('ask');
  });

  it.each(['http://127.0.0.1/', 'http://2130706433/', 'http://0x7f000001/', 'http://0177.0.0.1/', 'http://127.1/'])(
    'a deny rule for an address holds for %s',
    (url) => {
      const policy = policyFor({ mode: 'bypassPermissions', deny: rules('WebFetch(domain:127.0.0.1)') });
      expect(decide(fetching(url), policy).behavior).toBe('deny');
      expect(decide(fetching('http://[::ffff:127.0.0.1]/'), policy).behavior).toBe('deny');
    },
  );
});
