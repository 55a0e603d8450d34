import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { messageOf } from '../../util/message-of.ts';
import { findConfigHome } from '../../util/own/config-home.ts';

export interface FailureContext {
  env: Readonly<Record<string, string | undefined>>;
  version: string;
  now: Date;
}

/**
 * Keeps where in the terminal's own code an exception came from, in a file of the config home. Its message may hold text
 * of the conversation, so only the person sees it. Returns lines for the person.
 */
export function reportFailure(error: unknown, { env, version, now }: FailureContext): string[] {
  const told = `heddle: the terminal failed: ${messageOf(error)}`;
  const home = findConfigHome(env);
  if (!home || 'problem' in home) return [told];
  const folder = join(home.path, 'reports');
  const file = join(folder, `terminal-${now.toISOString().replaceAll(/[:.]/g, '-')}.txt`);
  const { TERM = '', TERM_PROGRAM = '', TMUX, SSH_CONNECTION } = env;
  const lines = [
    `heddle ${version}, node ${process.version}, ${process.platform} ${process.arch}`,
    `TERM=${TERM} TERM_PROGRAM=${TERM_PROGRAM} tmux=${TMUX !== undefined} ssh=${SSH_CONNECTION !== undefined}`,
    error instanceof Error ? error.name : typeof error,
    ...framesOf(error),
  ];
  try {
    makeDirectory(home.path, 0o700);
    makeDirectory(folder, 0o700);
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
  } catch {
    return [told];
  }
  return [told, `A report without any text of the session: ${file}`];
}

/** The places in the code, without the message above them. */
function framesOf(error: unknown): string[] {
  const { stack = '' } = error instanceof Error ? error : {};
  return stack.split('\n').filter((line) => /^\s+at [^\n]*:\d+:\d+\)?$/.test(line));
}
