import { resolve } from 'node:path';
import { isInside, isInsideAny } from '../../util/files/path-inside.ts';
import { allowsPath } from '../path-rules.ts';
import { pathFrom } from '../paths.ts';
import { commandCwd, type Policy } from '../policy.ts';
import { locationOf } from '../real-path.ts';
import type { Rule } from '../rules.ts';
import { patternsMeet } from '../shell/program-patterns.ts';
import {
  type Assignment,
  argvOf,
  everyCommand,
  everyRedirect,
  isGlob,
  NOTHING,
  type Part,
  type Redirect,
  type ShellCommand,
  type ShellScript,
  type Word,
  whyUnknown,
  whyUnreadable,
} from '../shell/shell-script.ts';
import { allowsText, allowsWords, type ShellSpec, shellSpec } from '../shell/shell-spec.ts';
import { isHarmlessVariable } from '../shell/variables.ts';
import { fileCommandPaths, movesNames } from './file-commands.ts';
import { readsWhatItFinds } from './find-results.ts';
import { textOf } from './script-directories.ts';

/** Why a command may run without asking. */
export type CommandGrant = { layer: 'default' | 'mode' } | { layer: 'allow-rule'; rule: Rule };

/**
 * Decides whether a shell command may run without asking; null when it may not. Each simple command needs its own
 * grant: an allow rule, reading only inside the roots, or, where the mode accepts edits, a file command inside the
 * roots; each file that the shell opens needs one, too. A command that is not fully known beforehand is granted only by
 * a rule with the same whole text.
 */
export function grantCommand(command: string, script: ShellScript, policy: Policy): CommandGrant | null {
  const rules = shellRules(policy.allow);
  const whole = rules.find(({ spec }) => allowsText(spec, command));
  if (whole !== undefined) return { layer: 'allow-rule', rule: whole.rule };
  return script.commands.length === 0 ? null : grantScript(script, { rules, policy });
}

/** Whether a script only reads. It does not check which files. */
export function isReadOnlyScript(script: ShellScript): boolean {
  if (whyUnknown(script) !== null || script.commands.length === 0) return false;
  const looks = ({ meaning, assigns, words }: ShellCommand) =>
    (meaning?.reads === true || cdTarget(words) !== null) && assigns.every(isHarmless);
  return (
    script.commands.every(looks) && script.redirects.every((each) => each.kind === 'read' || isDevice(each.target))
  );
}

/** The absolute paths that a script would change, when it consists of file commands and read-only commands. */
export function fileCommandTargets(script: ShellScript, policy: Policy): string[] {
  const changed = script.commands.map(({ words, meaning }) => {
    if (meaning?.reads || cdTarget(words) !== null) return [];
    const argv = argvOf({ words });
    return argv === null ? null : fileCommandPaths(argv);
  });
  if (whyUnknown(script) !== null || changed.includes(null)) return [];
  const written = shellFiles(script).flatMap((target) => textOf(target, policy) ?? []);
  return [...changed.flatMap((paths) => paths ?? []), ...written].map((path) => resolve(commandCwd(policy), path));
}

/** The files that the shell itself would write, and those that programs write by their words. */
export function writtenFiles(script: ShellScript): Word[] {
  const named = everyCommand(script).flatMap(({ meaning }) => meaning?.files ?? []);
  return [
    ...shellFiles(script),
    ...named.flatMap(({ word, access }) => (access === 'write' && word !== '.' && !isDevice(word) ? [word] : [])),
  ];
}

function shellFiles(script: ShellScript): Word[] {
  return everyRedirect(script).flatMap(({ kind, target }) => (kind === 'write' && !isDevice(target) ? [target] : []));
}

interface Granting {
  rules: readonly ShellRule[];
  policy: Policy;
}

/** Whether words still lead to the paths that were checked. */
type Footing = 'paths hold' | 'paths moved';

function grantScript(script: ShellScript, granting: Granting): CommandGrant | null {
  if (whyUnreadable(script) !== null) return null;
  const { commands, redirects } = grantParts(script, granting);
  return strongest([...commands, ...redirects]);
}

/** The grant of each command and each file of a script, in their order. */
function grantParts(
  { commands, redirects, ordered }: ShellScript,
  granting: Granting,
): { commands: (CommandGrant | null)[]; redirects: (CommandGrant | null)[] } {
  const everywhere = inAllPlaces(commands, granting);
  const grant = (command: ShellCommand, footing: Footing) =>
    strongest(everywhere.map((each) => grantOne(command, each, footing)));
  const first = commands.map((command) => grant(command, 'paths hold'));
  // After `cd /`, `ln -s` or a moved symlink the same words lead to other paths.
  const moves = commands.map((command, at) => first[at]?.layer === 'allow-rule' || mayMoveNames(command));
  const movesBefore = (at: number) => moves.some((each, other) => each && other !== at && (other < at || !ordered));
  const grants = commands.map((command, at) => (movesBefore(at) ? grant(command, 'paths moved') : (first[at] ?? null)));
  // The shell opens the files of a single command before it starts the command.
  const footing: Footing = commands.length > 1 && moves.includes(true) ? 'paths moved' : 'paths hold';
  return {
    commands: grants,
    redirects: redirects.map((redirect) =>
      strongest(everywhere.map(({ policy }) => grantRedirect(redirect, policy, footing))),
    ),
  };
}

/** A directory for each `cd` of a script: any command may run in any of them. */
function inAllPlaces(commands: readonly ShellCommand[], granting: Granting): Granting[] {
  const places = new Set([commandCwd(granting.policy)]);
  for (const { words } of commands) {
    const target = cdTarget(words);
    if (target === null || places.size > MAX_PLACES) continue;
    for (const place of [...places]) {
      const real = granting.policy.realPath(resolve(place, target));
      if (real !== null) places.add(real);
    }
  }
  return [...places].map((shellCwd) => ({ ...granting, policy: { ...granting.policy, shellCwd } }));
}

const MAX_PLACES = 8;

/** The directory of a plain `cd dir`; null for any other command. */
function cdTarget([name, ...rest]: readonly Word[]): string | null {
  const [target, ...others] = rest[0] === '--' ? rest.slice(1) : rest;
  if (name !== 'cd' || others.length > 0 || typeof target !== 'string') return null;
  return target === '' || target.startsWith('-') ? null : target;
}

/** Inside the roots a change of directory is nothing but that. */
function grantCd({ words }: ShellCommand, policy: Policy): CommandGrant | null {
  const target = cdTarget(words);
  if (target === null || climbs(target)) return null;
  const real = policy.realPath(resolve(commandCwd(policy), target));
  return real !== null && isInsideAny(policy.roots, real) ? { layer: 'default' } : null;
}

/** The commands and files of a script that nothing grants. */
export function ungranted(script: ShellScript, policy: Policy): Pick<ShellScript, 'commands' | 'redirects'> {
  const grants = grantParts(script, { rules: shellRules(policy.allow), policy });
  return {
    commands: script.commands.filter((_, at) => grants.commands[at] === null),
    redirects: script.redirects.filter((_, at) => grants.redirects[at] === null),
  };
}

/** All must be granted; a rule outranks a mode, and a mode outranks a default. */
function strongest(grants: readonly (CommandGrant | null)[]): CommandGrant | null {
  const granted = grants.filter((grant) => grant !== null);
  if (granted.length < grants.length) return null;
  const last = (layer: CommandGrant['layer']) => granted.findLast((grant) => grant.layer === layer);
  return last('allow-rule') ?? last('mode') ?? { layer: 'default' };
}

function grantOne(command: ShellCommand, granting: Granting, footing: Footing): CommandGrant | null {
  if (!command.assigns.every(isHarmless)) return null;
  const byPaths = grantByPaths(command, granting.policy, footing);
  if (footing === 'paths hold' && readsWhatItFinds(command, granting.policy, (word) => mayRead(word, granting.policy)))
    return { layer: 'default' };
  return byPaths ?? grantByRule(command.words, granting.rules) ?? grantWrapped(command, granting, footing);
}

function grantByPaths(command: ShellCommand, policy: Policy, footing: Footing): CommandGrant | null {
  const { meaning, words } = command;
  // What a variable brings is never known to be harmless; the names that a pattern finds are.
  const isKnown = words.every(
    (word) => typeof word === 'string' || isGlob(word) || isReadPipe(word, words) || (word.told && words[0] === 'echo'),
  );
  const read = meaning?.reads && isKnown ? meaning.files : null;
  if (words[0] === 'cd') return footing === 'paths hold' ? grantCd(command, policy) : null;
  if (footing === 'paths moved') return read?.length === 0 ? { layer: 'default' } : null;
  if (read !== null && words[0] === 'git' && !(policy.hasPlainRepository?.(commandCwd(policy)) ?? true)) return null;
  if (read !== null) {
    const mayAll = read.every(
      ({ word, elsewhere }) => !elsewhere && (isReadPipe(word, words) || mayRead(word, policy)),
    );
    return mayAll ? { layer: 'default' } : null;
  }
  const argv = argvOf(command);
  const changed = acceptsEdits(policy) && argv !== null ? fileCommandPaths(argv) : null;
  return changed?.every((path) => mayChange(path, policy)) ? { layer: 'mode' } : null;
}

/** What comes through such a pipe is only shown: the commands at its other end are judged on their own. */
function isReadPipe(word: Word, [name]: readonly Word[]): boolean {
  return typeof word === 'object' && word.pipe === true && typeof name === 'string' && SHOWS.test(name);
}

const SHOWS = /^(?:cat|head|tail|wc|nl|diff|cmp|comm|sort|uniq|paste|join|cut|column|md5sum|sha1sum|sha256sum)$/;

interface ShellRule {
  rule: Rule;
  spec: ShellSpec;
}

function shellRules(rules: readonly Rule[]): ShellRule[] {
  return rules.flatMap((rule) =>
    rule.toolName === 'Bash' && rule.ruleContent !== undefined
      ? [{ rule, spec: shellSpec(rule.ruleContent, 'allow') }]
      : [],
  );
}

function grantByRule(words: readonly Word[], rules: readonly ShellRule[]): CommandGrant | null {
  const matched = rules.find(({ spec }) => allowsWords(spec, words));
  return matched === undefined ? null : { layer: 'allow-rule', rule: matched.rule };
}

/** Wrappers that do not change what their command does: a grant for the command is enough. */
const PLAIN_WRAPPERS: ReadonlySet<Word | undefined> = new Set(['timeout', 'nice', 'nohup']);

function grantWrapped({ words, runs }: ShellCommand, granting: Granting, footing: Footing): CommandGrant | null {
  const [inner, ...others] = runs?.commands ?? [];
  if (!PLAIN_WRAPPERS.has(words[0]) || inner === undefined || others.length > 0) return null;
  const own = words.slice(0, words.length - inner.words.length);
  return argvOf({ words: own }) === null ? null : grantOne(inner, granting, footing);
}

function mayMoveNames(command: ShellCommand): boolean {
  return everyCommand({ ...NOTHING, commands: [command] }).some(({ words }) => movesNames(words));
}

function isHarmless({ name, value }: Assignment): boolean {
  return isHarmlessVariable(name, value);
}

function grantRedirect({ kind, target }: Redirect, policy: Policy, footing: Footing): CommandGrant | null {
  if (isDevice(target)) return { layer: 'default' };
  const text = textOf(target, policy);
  if (text === null || footing === 'paths moved') return null;
  const rule = pathRule(kind === 'write' ? 'edit' : 'read', pathFrom(commandCwd(policy), text), policy);
  if (rule !== undefined) return { layer: 'allow-rule', rule };
  if (kind === 'read') return mayRead(target, policy) ? { layer: 'default' } : null;
  return acceptsEdits(policy) && mayChange(text, policy) ? { layer: 'mode' } : null;
}

function pathRule(kind: 'read' | 'edit', path: string, policy: Policy): Rule | undefined {
  return policy.allow.find((rule) => allowsPath(rule, kind, path, policy));
}

/** Devices that every process has and that lead to no file. */
function isDevice(target: Word): boolean {
  return typeof target === 'string' && /^\/dev\/(?:null|stdin|stdout|stderr)$/.test(target);
}

export function acceptsEdits(policy: Policy): boolean {
  return policy.mode === 'acceptEdits' || policy.mode === 'auto';
}

function mayRead(word: Word, policy: Policy): boolean {
  const operand = textOf(word, policy);
  if (operand === null) return foundNames(word, policy)?.every((name) => mayRead(name, policy)) ?? false;
  if (climbs(operand)) return false;
  const real = policy.realPath(resolve(commandCwd(policy), operand));
  return real !== null && isInsideAny([...policy.roots, ...policy.readRoots], real);
}

/** The files that a pattern finds now; null for any other word, and where it finds very many. */
function foundNames(word: Word, policy: Policy): string[] | null {
  const { namesIn } = policy;
  if (typeof word === 'string' || !isGlob(word) || namesIn === undefined) return null;
  let found = [''];
  for (const [at, pattern] of segmentsOf(word.parts).entries()) {
    const [only = '', ...more] = pattern;
    if (more.length === 0 && typeof only === 'string') {
      found = found.map((path) => (at === 0 ? only : `${path}/${only}`));
      continue;
    }
    const next: string[] = [];
    for (const directory of found) {
      if (at > 0 && !mayRead(directory === '' ? '/' : directory, policy)) return null;
      const names = namesIn(resolve(commandCwd(policy), at === 0 ? '.' : `${directory}/`));
      if (names === null) return null;
      for (const name of names) if (patternsMeet(pattern, [name])) next.push(at === 0 ? name : `${directory}/${name}`);
    }
    if (next.length > MAX_FOUND) return null;
    found = next;
  }
  return found;
}

/** Each is looked up on its own. */
const MAX_FOUND = 1000;

/** A path by its segments, each of them the parts of a pattern. */
function segmentsOf(parts: readonly Part[]): Part[][] {
  const segments: Part[][] = [[]];
  for (const part of parts) {
    if (typeof part !== 'string') {
      segments.at(-1)?.push(part);
      continue;
    }
    const [first = '', ...others] = part.split('/');
    if (first !== '') segments.at(-1)?.push(first);
    for (const each of others) segments.push(each === '' ? [] : [each]);
  }
  return segments;
}

/** Both the name and its target must lie below a root and contain no root, and neither may be protected or act later. */
function mayChange(operand: string, policy: Policy): boolean {
  if (climbs(operand)) return false;
  const path = resolve(commandCwd(policy), operand);
  const real = policy.realPath(path);
  const place = locationOf(path, policy.realPath);
  if (real === null || place === null) return false;
  if ([path, real, place].some((each) => policy.protectedPath(each) || policy.actsLater?.(each))) return false;
  return [real, place].every(
    (each) => isInsideAny(policy.roots, each) && !policy.roots.some((root) => isInside(each, root)),
  );
}

function climbs(operand: string): boolean {
  return operand.split('/').includes('..');
}
