import { resolve } from 'node:path';
import { fileCommandPaths, movesNames } from './file-commands.ts';
import { isInside, isInsideAny } from './paths.ts';
import { commandCwd, type Policy } from './policy.ts';
import { readOnlyPaths } from './read-only-commands.ts';
import { placeOf } from './real-path.ts';
import type { Rule } from './rules.ts';
import { allowsArgv, allowsText, type ShellSpec, shellSpec } from './shell-rules.ts';
import { plainSequence } from './shell-words.ts';

/** Why a command may run without asking. */
export type CommandGrant = { layer: 'default' | 'mode' } | { layer: 'allow-rule'; rule: Rule };

/**
 * Whether a shell command may run without asking; null when not. Every simple command of a plain sequence must be
 * granted by itself: by an allow rule, because it only reads inside the roots, or, where edits are accepted, because it
 * is a file command inside the roots. A command that is not plain is granted only by a rule with the same whole text.
 */
export function grantCommand(command: string, policy: Policy): CommandGrant | null {
  const specs = shellRules(policy.allow);
  const whole = specs.find(({ spec }) => allowsText(spec, command));
  if (whole !== undefined) return { layer: 'allow-rule', rule: whole.rule };

  const sequence = plainSequence(command);
  if (sequence === null) return null;
  let strongest: CommandGrant = { layer: 'default' };
  let pathsHold = true;
  for (const argv of sequence) {
    const grant = (pathsHold ? grantByPaths(argv, policy) : grantWithoutPaths(argv)) ?? grantByRule(argv, specs);
    if (grant === null) return null;
    if (grant.layer === 'allow-rule' || strongest.layer === 'default') strongest = grant;
    // After `cd /`, `ln -s` or a moved symlink the same words lead elsewhere than they did when they were checked.
    if (grant.layer === 'allow-rule' || movesNames(argv)) pathsHold = false;
  }
  return strongest;
}

/** What the file commands of a plain sequence would change, as absolute paths; to tell the host what it is asked for. */
export function fileCommandTargets(command: string, policy: Policy): string[] {
  const sequence = plainSequence(command) ?? [];
  return sequence.flatMap((argv) => fileCommandPaths(argv) ?? []).map((path) => resolve(commandCwd(policy), path));
}

function grantByPaths(argv: readonly string[], policy: Policy): CommandGrant | null {
  const read = readOnlyPaths(argv);
  if (read !== null) return read.every((path) => mayRead(path, policy)) ? { layer: 'default' } : null;
  const changed = acceptsEdits(policy) ? fileCommandPaths(argv) : null;
  return changed?.every((path) => mayChange(path, policy)) ? { layer: 'mode' } : null;
}

function grantWithoutPaths(argv: readonly string[]): CommandGrant | null {
  return readOnlyPaths(argv)?.length === 0 ? { layer: 'default' } : null;
}

interface ShellRule {
  rule: Rule;
  spec: ShellSpec;
}

function shellRules(rules: readonly Rule[]): ShellRule[] {
  return rules.flatMap((rule) =>
    rule.toolName === 'Bash' && rule.ruleContent !== undefined ? [{ rule, spec: shellSpec(rule.ruleContent) }] : [],
  );
}

function grantByRule(argv: readonly string[], specs: readonly ShellRule[]): CommandGrant | null {
  const matched = specs.find(({ spec }) => allowsArgv(spec, argv));
  return matched === undefined ? null : { layer: 'allow-rule', rule: matched.rule };
}

export function acceptsEdits(policy: Policy): boolean {
  return policy.mode === 'acceptEdits' || policy.mode === 'auto';
}

function mayRead(operand: string, policy: Policy): boolean {
  // `-` is standard input, which is empty.
  if (operand === '-') return true;
  if (climbs(operand)) return false;
  const real = policy.realPath(resolve(commandCwd(policy), operand));
  return real !== null && isInsideAny([...policy.roots, ...policy.readRoots], real);
}

/** Both the name and what it leads to must lie below a root and hold none; nothing about them may be protected. */
function mayChange(operand: string, policy: Policy): boolean {
  if (climbs(operand)) return false;
  const path = resolve(commandCwd(policy), operand);
  const real = policy.realPath(path);
  const place = placeOf(path, policy.realPath);
  if (real === null || place === null) return false;
  if ([path, real, place].some((each) => policy.protectedPath(each))) return false;
  return [real, place].every(
    (each) => isInsideAny(policy.roots, each) && !policy.roots.some((root) => isInside(each, root)),
  );
}

function climbs(operand: string): boolean {
  return operand.split('/').includes('..');
}
