import { isInsideAny } from '../util/files/path-inside.ts';
import { shellQuoted, shellWord } from '../util/text/shell-word.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import { acceptsEdits, grantCommand, ungranted } from './commands/judge-command.ts';
import { type Call, scriptOf } from './match-rule.ts';
import type { Policy } from './policy.ts';
import { formatRule, type Rule } from './rules.ts';
import { argvOf, type Redirect, type ShellCommand, type ShellScript, whyUnknown } from './shell/shell-script.ts';

/** A longer quotation would bury the sentence around it. */
const MAX_QUOTED = 200;

/** Explains why Heddle asks about a command: the parts that nothing covers, and the flags that would cover them. */
export function commandReason(
  call: Call,
  command: string,
  policy: Policy,
  updates: readonly PermissionUpdate[],
): string {
  const script = scriptOf(call);
  const unknown = whyUnknown(script);
  if (unknown !== null) {
    return `It cannot be told beforehand all that the command would do: ${unknown}.${allowedBy(wholeRule(command))}`;
  }
  const { commands, redirects } = ungranted(script, policy);
  const parts = [...commands.map(shownCommand), ...redirects.map(shownRedirect)];
  if (parts.length === 0 || parts.some((part) => part === null)) {
    return `The command is not known to only read, and no rule allows all of it.${allowedBy(wholeRule(command))}`;
  }
  const areFiles = updates.some(({ type }) => type === 'setMode');
  const flags = areFiles ? flagsOf(updates, policy) : rulesFor(call, { commands, redirects }, policy);
  const names = parts.map((part) => `\`${part}\``).join(' and ');
  const why = areFiles ? whyFiles(updates, policy) : 'not known to only read, and no rule allows it';
  return `${names} ${parts.length === 1 ? 'is' : 'are'} not covered: ${why}.${allowedBy(flags)}`;
}

function whyFiles(updates: readonly PermissionUpdate[], policy: Policy): string {
  if (!acceptsEdits(policy)) return `changes files, which the mode ${policy.mode} asks for`;
  return flagsOf(updates, policy).includes('--add-dir')
    ? 'outside the directories of this session'
    : 'no rule allows it, and the mode does not cover it';
}

/** Names the command-line flags that would allow calls like this one, as a sentence; empty where no flag would. */
export function remedy({ toolName, access }: Call, updates: readonly PermissionUpdate[], policy: Policy): string {
  const isByName = updates.length === 0 && access.kind === 'other';
  return allowedBy(isByName ? `--allowedTools ${shellWord(toolName)}` : flagsOf(updates, policy));
}

function allowedBy(flags: string): string {
  return flags === '' ? '' : ` To allow it: ${flags}`;
}

function flagsOf(updates: readonly PermissionUpdate[], policy: Policy): string {
  const flags = updates.flatMap((update) => {
    switch (update.type) {
      case 'addRules':
        return [`--allowedTools ${update.rules.map((rule) => shellQuoted(formatRule(rule))).join(' ')}`];
      case 'setMode':
        return acceptsEdits(policy) ? [] : [`--permission-mode ${update.mode}`];
      case 'addDirectories': {
        const others = update.directories.filter((directory) => !isInsideAny(policy.roots, directory));
        return others.length === 0 ? [] : [`--add-dir ${others.map(shellWord).join(' ')}`];
      }
      default:
        return [];
    }
  });
  return flags.join(' ');
}

/**
 * One rule for each part, if these and the existing rules together allow the whole command; otherwise one rule for all
 * of it.
 */
function rulesFor(
  call: Call,
  { commands, redirects }: Pick<ShellScript, 'commands' | 'redirects'>,
  policy: Policy,
): string {
  const command = call.access.kind === 'execute' ? call.access.command : '';
  const contents = commands.map((each) => argvOf(each)?.map(shellWord).join(' ') ?? '');
  const rules = [...new Set(contents)].map(
    (ruleContent): Rule => ({ toolName: 'Bash', ruleContent, source: 'session' }),
  );
  const withRules = { ...policy, allow: [...policy.allow, ...rules] };
  const isEnough =
    redirects.length === 0 && !contents.includes('') && grantCommand(command, scriptOf(call), withRules) !== null;
  if (!isEnough) return wholeRule(command);
  return `--allowedTools ${rules.map((rule) => shellQuoted(formatRule(rule))).join(' ')}`;
}

/** A rule that means exactly this text. */
function wholeRule(command: string): string {
  const ruleContent = command.trim();
  if (ruleContent === '' || ruleContent.length > MAX_QUOTED || ruleContent.includes('\n')) return '';
  return `--allowedTools ${shellQuoted(formatRule({ toolName: 'Bash', ruleContent }))}`;
}

function shownCommand(command: ShellCommand): string | null {
  const argv = argvOf(command);
  const text =
    argv === null ? null : [...command.assigns.map(({ name }) => `${name}=…`), ...argv.map(shellWord)].join(' ');
  return text === null || text === '' || text.length > MAX_QUOTED ? null : text;
}

function shownRedirect({ kind, target }: Redirect): string | null {
  return typeof target === 'string' ? `${kind === 'read' ? '<' : '>'} ${shellWord(target)}` : null;
}
