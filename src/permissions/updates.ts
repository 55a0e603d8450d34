import { HeddleError } from '../wire/errors.ts';
import type { PermissionRuleValue, PermissionUpdate } from '../wire/permissions.ts';
import { directoryPath, type Policy, permittedMode } from './policy.ts';
import { formatRule, parseRule, type Rule, sameRule } from './rules.ts';

/** An update and the source whose rules it changes: its own destination, or another source that stands for it. */
export interface AppliedUpdate {
  update: PermissionUpdate;
  source: string;
}

/** The policy after an update for its own destination; the caller stores the update there. */
export function applyUpdate(policy: Policy, update: PermissionUpdate): Policy {
  return applyAs(policy, { update, source: update.destination });
}

/**
 * The policy after an update. It changes only rules from the same source, so that a change for one session never lifts
 * a deny rule of the settings; deny rules from a launch flag also stay. Throws `invalid_option` for an update that
 * cannot be applied.
 */
export function applyAs(policy: Policy, { update, source }: AppliedUpdate): Policy {
  switch (update.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return { ...policy, [update.behavior]: changeRules(policy[update.behavior], update, source) };
    case 'setMode':
      return { ...policy, mode: permittedMode(update.mode, policy) };
    case 'addDirectories':
      return { ...policy, roots: unique([...policy.roots, ...realDirectories(update.directories, policy)]) };
    case 'removeDirectories':
      return { ...policy, roots: withoutDirectories(policy, realDirectories(update.directories, policy)) };
  }
}

type RuleUpdate = Extract<PermissionUpdate, { rules: unknown }>;

function changeRules(current: readonly Rule[], update: RuleUpdate, source: string): Rule[] {
  const given = update.rules.map((rule) => checkedRule(rule, source));
  const isOwn = (rule: Rule) => rule.source === source && !(update.behavior !== 'allow' && isOfLaunch(rule));
  const isGiven = (rule: Rule) => given.some((other) => sameRule(rule, other));
  switch (update.type) {
    case 'addRules':
      return [...current.filter((rule) => !(isOwn(rule) && isGiven(rule))), ...given];
    case 'replaceRules':
      return [...current.filter((rule) => !isOwn(rule)), ...given];
    case 'removeRules':
      return current.filter((rule) => !(isOwn(rule) && isGiven(rule)));
  }
}

/** True for rules from a flag: rules that an update adds for the same destination have no `where`. */
function isOfLaunch({ source, where }: Rule): boolean {
  return source === 'cliArg' && where !== undefined;
}

/** Goes through the text form, so that a rule given as an object means exactly what the same text means. */
function checkedRule({ toolName, ruleContent }: PermissionRuleValue, source: string): Rule {
  const parsed = parseRule(formatRule({ toolName, ...(ruleContent !== undefined && { ruleContent }) }));
  if ('problem' in parsed)
    throw new HeddleError('invalid_option', parsed.problem, { facts: { toolName, ruleContent } });
  return { ...parsed.rule, source };
}

function realDirectories(directories: readonly string[], policy: Policy): string[] {
  return directories.map((directory) => {
    const path = directoryPath(directory, policy);
    if (policy.realPath(path) !== null) return path;
    throw new HeddleError('invalid_option', `Cannot tell where the directory '${directory}' is.`, {
      facts: { directory },
    });
  });
}

function withoutDirectories(policy: Policy, directories: readonly string[]): string[] {
  if (directories.includes(policy.cwd)) {
    throw new HeddleError('invalid_option', 'The working directory itself cannot be removed from the session.', {
      facts: { cwd: policy.cwd },
    });
  }
  return policy.roots.filter((root) => !directories.includes(root));
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
