import { describe, expect, it } from 'vitest';
import { type Call, decide } from '../../src/permissions/decide.ts';
import { namesHost } from '../../src/permissions/domain-rules.ts';
import { createWebFetchTool } from '../../src/tools/web/web-fetch.ts';
import type { Workspace } from '../../src/tools/workspace.ts';
import { policyFor, rules } from './policy-for.ts';

const tool = createWebFetchTool({ proxyFor: () => null, proxyAuthorization: () => undefined });

function fetching(url: string): Call {
  const input = { url, prompt: 'what?' };
  return { toolName: 'WebFetch', input, access: tool.access(input, {} as Workspace) };
}

function allowedBy(rule: string, url: string): boolean {
  return decide(fetching(url), policyFor({ allow: rules(rule) })).behavior === 'allow';
}

function deniedBy(rule: string, url: string): boolean {
  return decide(fetching(url), policyFor({ mode: 'bypassPermissions', deny: rules(rule) })).behavior === 'deny';
}

describe('WebFetch(domain:…)', () => {
  it('asks without a rule, and suggests one for the host', () => {
    expect(decide(fetching('https://Docs.Example.com/x'), policyFor())).toMatchObject({
      behavior: 'ask',
      suggestions: [
        {
          type: 'addRules',
          behavior: 'allow',
          destination: 'session',
          rules: [{ toolName: 'WebFetch', ruleContent: 'domain:docs.example.com' }],
        },
      ],
    });
    expect(decide(fetching('no url'), policyFor())).toMatchObject({ behavior: 'ask', suggestions: [] });
  });

  it('allows that host and no other', () => {
    const rule = 'WebFetch(domain:example.com)';
    expect(allowedBy(rule, 'https://example.com/any/path?x=1#y')).toBe(true);
    expect(allowedBy(rule, 'http://EXAMPLE.com:8080/')).toBe(true);
    for (const other of ['www.example.com', 'example.com.evil.net', 'badexample.com', 'example.co', 'evil.net']) {
      expect(allowedBy(rule, `https://${other}/`), other).toBe(false);
    }
    expect(allowedBy(rule, 'not a url')).toBe(false);
  });

  it('denies that host and all below it', () => {
    const rule = 'WebFetch(domain:example.com)';
    expect(deniedBy(rule, 'https://example.com/')).toBe(true);
    expect(deniedBy(rule, 'https://deep.www.example.com/')).toBe(true);
    expect(deniedBy(rule, 'https://badexample.com/')).toBe(false);
    expect(deniedBy(rule, 'https://example.com.evil.net/')).toBe(false);
  });

  it('a wildcard is what lies below; a bare one is everything', () => {
    for (const covered of [allowedBy, deniedBy]) {
      expect(covered('WebFetch(domain:*.example.com)', 'https://a.b.example.com/')).toBe(true);
      expect(covered('WebFetch(domain:*.example.com)', 'https://example.com/')).toBe(false);
      expect(covered('WebFetch(domain:*.example.com)', 'https://badexample.com/')).toBe(false);
      expect(covered('WebFetch(domain:*)', 'https://anything.net/')).toBe(true);
      expect(covered('WebFetch', 'https://anything.net/')).toBe(true);
    }
  });

  it('a rule is read in any spelling of its host', () => {
    expect(allowedBy('WebFetch(domain:MÜNCHEN.de.)', 'https://xn--mnchen-3ya.de/')).toBe(true);
    expect(deniedBy('WebFetch(domain: [::1])', 'http://[0:0::1]/')).toBe(true);
    expect(deniedBy('WebFetch(domain:127.0.0.1)', 'http://2130706433/')).toBe(true);
  });

  it('a rule or a call that cannot be read is denied, and never allowed', () => {
    for (const rule of ['WebFetch(https://a.com/*)', 'WebFetch(domain:a.*.com)', 'WebFetch(domain:a.com:80)']) {
      expect(deniedBy(rule, 'https://elsewhere.net/'), rule).toBe(true);
      expect(allowedBy(rule, 'https://a.com/'), rule).toBe(false);
    }
    expect(deniedBy('WebFetch(domain:example.com)', 'http://[bad')).toBe(true);
    expect(deniedBy('WebSearch(domain:example.com)', 'https://example.com/')).toBe(false);
  });

  it('asks where an ask rule names the host', () => {
    const policy = policyFor({ mode: 'bypassPermissions', ask: rules('WebFetch(domain:example.com)') });
    expect(decide(fetching('https://example.com/'), policy).behavior).toBe('ask');
    expect(decide(fetching('https://example.net/'), policy).behavior).toBe('allow');
  });

  it('a host is named only by its own rule', () => {
    const policy = policyFor({ allow: rules('WebFetch(domain:localhost)', 'WebFetch(domain:*)', 'WebFetch') });
    expect(namesHost(policy, 'WebFetch', 'localhost')).toBe(true);
    expect(namesHost(policy, 'WebFetch', '127.0.0.1')).toBe(false);
    expect(namesHost(policy, 'Other', 'localhost')).toBe(false);
  });
});
