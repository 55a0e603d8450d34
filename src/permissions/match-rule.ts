import type { Access } from '../tools/tool.ts';
import { caughtFile, runsDevice } from './commands/command-files.ts';
import { forbidsScript } from './commands/shell-rules.ts';
import { domainMatcher } from './domain-rules.ts';
import { namesCalled, plainName } from './name-rules.ts';
import { isSearch, type PathMatcher, pathMatcher, pathRuleKind } from './path-rules.ts';
import type { Policy } from './policy.ts';
import { coversTool, type Rule } from './rules.ts';
import { NOTHING, notRead, type ShellScript } from './shell/shell-script.ts';
import { shellSpec } from './shell/shell-spec.ts';

/** A tool call as the permission code sees it. */
export interface Call {
  toolName: string;
  input: unknown;
  access: Access;
  /** The command of an `execute` access as the shell reader read it. Absent: it counts as not known. */
  script?: ShellScript;
}

/** The call with its command, which is not known if nobody has read it. */
export function withScript(call: Call): Call {
  if (call.access.kind !== 'execute' || call.script !== undefined) return call;
  return { ...call, script: notRead('nobody has read the command') };
}

/** What a command would run; an empty script for any other call. */
export function scriptOf(call: Call): ShellScript {
  return withScript(call).script ?? NOTHING;
}

/**
 * Why a deny or ask rule catches a call, in words; null when it does not. A rule that cannot be evaluated catches every
 * call of its tool, so that nothing the user forbade slips through.
 */
export function forbids(rule: Rule, call: Call, policy: Policy): string | null {
  if (rule.ruleContent === undefined)
    return coversTool(rule, call.toolName, 'forbid') ? 'it names the whole tool' : null;
  const { access } = call;
  const kind = pathRuleKind(rule);
  const isCommand = access.kind === 'execute';
  if (kind !== null && isCommand) return forbidsFilesOf(rule.ruleContent, kind, scriptOf(call), policy);
  if (kind !== null && access.kind === kind) return forbidsPaths(rule.ruleContent, call, access.paths, policy);
  if (isCommand && (rule.toolName === 'Bash' || coversTool(rule, call.toolName, 'forbid'))) {
    return forbidsCommand(rule.ruleContent, scriptOf(call), policy);
  }
  if (!coversTool(rule, call.toolName, 'forbid')) return null;
  if (access.kind === 'named') {
    return namesCalled(rule.ruleContent, access.name, plainName) ? `it names ${access.name}` : null;
  }
  return access.kind === 'other' ? forbidsHost(rule.ruleContent, access.host) : CANNOT_TELL;
}

function forbidsCommand(spec: string, script: ShellScript, policy: Policy): string | null {
  const why = forbidsScript(shellSpec(spec, 'forbid'), script);
  return why ?? (runsDevice(script, policy) ? 'it runs a file that is a device, so its code cannot be told' : null);
}

/** Whether an allow rule covers all of a call. `judge-command.ts` judges commands one by one. */
export function allows(rule: Rule, call: Call, policy: Policy): boolean {
  if (rule.ruleContent === undefined) return coversTool(rule, call.toolName, 'allow');
  const { access } = call;
  if (access.kind === 'other') {
    if (access.host === undefined || !coversTool(rule, call.toolName, 'allow')) return false;
    return domainMatcher(rule.ruleContent, 'allow')?.(access.host) ?? false;
  }
  if (access.kind === 'named') {
    return coversTool(rule, call.toolName, 'allow') && namesCalled(rule.ruleContent, access.name);
  }
  if (access.kind !== 'read' && access.kind !== 'edit') return false;
  if (pathRuleKind(rule) !== access.kind || access.paths.length === 0) return false;
  const matcher = pathMatcher(rule.ruleContent, policy, 'allow');
  return matcher !== null && access.paths.every((path) => matcher.matches(path));
}

const CANNOT_TELL = 'this version cannot tell which calls it means, so it covers all of them';

function forbidsPaths(spec: string, call: Call, paths: readonly string[], policy: Policy): string | null {
  const matcher = pathMatcher(spec, policy, 'forbid');
  if (matcher === null) return CANNOT_TELL;
  const caught = paths.find((path) => matcher.matches(path));
  if (caught !== undefined) return `it matches ${caught}`;
  return searchWouldShow(matcher, call, paths, policy);
}

function searchWouldShow(matcher: PathMatcher, call: Call, paths: readonly string[], policy: Policy): string | null {
  if (policy.searchesFiltered || !isSearch(call.toolName)) return null;
  const searched = paths.find((path) => matcher.mayMatchBelow(path));
  return searched === undefined ? null : `it hides files that searching ${searched} could show`;
}

function forbidsHost(spec: string, host: string | undefined): string | null {
  const matches = host === undefined ? null : domainMatcher(spec, 'forbid');
  if (matches === null) return CANNOT_TELL;
  return matches(host ?? '') ? `it names ${host}` : null;
}

/** A rule that cannot be parsed catches every file that a command names. */
function forbidsFilesOf(spec: string, kind: 'read' | 'edit', script: ShellScript, policy: Policy): string | null {
  const caught = caughtFile(script, kind, pathMatcher(spec, policy, 'forbid') ?? EVERY_PATH, policy);
  return caught === null ? null : `it matches ${caught}`;
}

const EVERY_PATH: PathMatcher = {
  matches: () => true,
  matchesOne: () => true,
  mayMatchBelow: () => true,
  startsBelow: () => true,
  mayBeNamed: () => true,
  mayMatch: () => true,
};
