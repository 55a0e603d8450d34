import { domainMatcher, namedHost } from '../../permissions/domain-rules.ts';
import type { Policy } from '../../permissions/policy.ts';
import type { Rule } from '../../permissions/rules.ts';
import type { AllowedHosts } from '../../tools/sandbox/network.ts';
import type { SandboxRules } from '../../tools/sandbox/sandbox-settings.ts';
import { HeddleError } from '../../wire/errors.ts';

/**
 * The hosts that sandboxed commands may reach: those that the settings or a fetch rule allow, without those that either
 * denies. A connection cannot ask the user, so hosts that a rule would ask for are denied, too.
 */
export function allowedHosts(rules: SandboxRules['network'], policy: () => Policy): AllowedHosts {
  const allowed = domains('allowedDomains', rules.allowedDomains);
  const denied = domains('deniedDomains', rules.deniedDomains);
  const allows = () => [...allowed, ...fetchRules(policy().allow)];
  const denies = () => [...denied, ...fetchRules(policy().deny), ...fetchRules(policy().ask)];
  return {
    access(host) {
      // A rule that cannot be parsed forbids everything.
      if (denies().some((spec) => domainMatcher(spec, 'forbid')?.(host) ?? true)) return 'none';
      if (allows().some((spec) => namedHost(spec) === host)) return 'any';
      return allows().some((spec) => domainMatcher(spec, 'allow')?.(host)) ? 'public' : 'none';
    },
    list() {
      const understood = allows().filter((spec) => domainMatcher(spec, 'allow') !== null);
      return [...new Set(understood.map((spec) => spec.replace(/^domain:\s*/, '')))];
    },
  };
}

function fetchRules(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ toolName, ruleContent }) =>
    toolName === 'WebFetch' && ruleContent !== undefined ? [ruleContent] : [],
  );
}

function domains(key: string, hosts: readonly string[]): string[] {
  return hosts.map((host) => {
    const spec = `domain:${host}`;
    if (domainMatcher(spec, 'forbid') !== null) return spec;
    const message = `Settings: sandbox.network.${key} takes host names (example.com, *.example.com), not '${host}'`;
    throw new HeddleError('invalid_settings', message, { facts: { host } });
  });
}
