import { resolve } from 'node:path';
import { writtenFiles } from '../../permissions/commands/judge-command.ts';
import { textOf } from '../../permissions/commands/script-directories.ts';
import { commandCwd, type Policy } from '../../permissions/policy.ts';
import { everyCommand, type ShellScript, whyUnknown } from '../../permissions/shell/shell-script.ts';
import { type JsonObject, stringField } from '../../util/json.ts';
import type { CommandPreview } from '../../wire/control/index.ts';

export interface CommandContext {
  policy: Policy;
  /** Whether the session confines commands. */
  isSandboxed: boolean;
}

/** What a command would do beyond reading, as far as its text tells, and where it would run. */
export async function commandPreview(
  input: JsonObject,
  { policy, isSandboxed }: CommandContext,
): Promise<CommandPreview> {
  const command = stringField(input, 'command') ?? '';
  const script = (await policy.readCommand?.(command)) ?? null;
  const unknown = script && whyUnknown(script);
  return {
    directory: commandCwd(policy),
    sandboxed: isSandboxed && input.dangerouslyDisableSandbox !== true,
    effects: script ? effectsOf(script, policy) : [],
    ...(unknown && { unknown }),
  };
}

const MOST = 50;

type Effect = CommandPreview['effects'][number];

function effectsOf(script: ShellScript, policy: Policy): Effect[] {
  const at = commandCwd(policy);
  const programs = everyCommand(script).map(({ words }) => words.map((word) => textOf(word, policy)));
  const deleted = programs.filter(([name]) => name && DELETING.has(name)).flatMap(operands);
  const paths = (files: readonly string[]) => new Set(files.map((file) => resolve(at, file)));
  const gone = paths(deleted);
  const written = paths(writtenFiles(script).flatMap((word) => textOf(word, policy) ?? []));
  const hosts = new Set(programs.flatMap((words) => hostsOf(words)));
  return [
    ...[...gone].map((on): Effect => ({ what: 'deletes', on })),
    ...[...written].filter((on) => !gone.has(on)).map((on): Effect => ({ what: 'writes', on })),
    ...[...hosts].map((on): Effect => ({ what: 'reaches', on })),
  ].slice(0, MOST);
}

const DELETING: ReadonlySet<string> = new Set(['rm', 'rmdir', 'unlink', 'shred']);

/** The words of a command that are no options. */
function operands([, ...words]: readonly (string | null)[]): string[] {
  const end = words.indexOf('--');
  return words.flatMap((word, index) =>
    word !== null && index !== end && (!word.startsWith('-') || (end !== -1 && index > end)) ? [word] : [],
  );
}

/** The hosts of addresses, and of `user@host:path`, among the words. */
function hostsOf(words: readonly (string | null)[]): string[] {
  return words.flatMap((word) => {
    if (word === null) return [];
    const address = /^[a-z][a-z\d+.-]*:\/\/[^/\s]+/i.test(word) && URL.canParse(word) ? new URL(word).host : '';
    const [, remote = ''] = /^[\w.-]+@([\w.-]+)(?::|$)/.exec(word) ?? [];
    return [address, remote].filter((host) => host !== '');
  });
}
