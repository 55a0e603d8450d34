import { parseHostName } from '../util/host-name.ts';
import type { Policy } from './policy.ts';

/**
 * Parses `domain:HOST` in a rule for a tool that fetches; null when this version cannot. `example.com` is that host,
 * `*.example.com` every host below it, `*` any host. Hosts are compared as `hostNameOf` returns them, by whole labels.
 *
 * A rule that forbids `example.com` also covers everything below it; a rule that allows covers exactly that host.
 */
export function domainMatcher(spec: string, reading: 'forbid' | 'allow'): ((host: string) => boolean) | null {
  if (spec === 'domain:*') return () => true;
  const parent = namedHost(spec.replace(/^domain:\s*\*\./, 'domain:'));
  if (parent === null) return null;
  const isBelow = (host: string) => host.endsWith(`.${parent}`);
  if (namedHost(spec) === null) return isBelow;
  return (host) => host === parent || (reading === 'forbid' && isBelow(host));
}

/** The one host that `domain:HOST` names; null when it names several hosts or none. */
export function namedHost(spec: string): string | null {
  const [, text] = /^domain:\s*(\S+)$/.exec(spec) ?? [];
  return text === undefined || text.includes('*') ? null : parseHostName(text);
}

/** Whether an allow rule for the tool names exactly this host, not by a wildcard. */
export function namesHost(policy: Policy, toolName: string, host: string): boolean {
  return policy.allow.some(
    (rule) => rule.toolName === toolName && rule.ruleContent !== undefined && namedHost(rule.ruleContent) === host,
  );
}
