import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Engine } from '../../host/engine/engine.ts';
import { isObject, tryParseJson } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { ParsedArgs } from '../flags/args.ts';
import { usage } from '../flags/args.ts';
import { ownSession } from './own-session.ts';
import { openProcessEngine } from './run.ts';
import { sessionConfig } from './session-config.ts';

/** Set for the process that has the session. */
const INSIDE = 'HEDDLE_BACKGROUND';

/**
 * `heddle --bg [prompt]`: starts a process of its own that has the session, and prints the id of the session when it is
 * open. Resolves with the exit code.
 */
export async function runInBackground(args: ParsedArgs, argv: readonly string[]): Promise<number> {
  const { config } = args;
  const { print, outputFormat = 'text', inputFormat = 'text', noSessionPersistence } = config;
  if (print || outputFormat !== 'text' || inputFormat !== 'text') {
    throw usage('--bg starts a session to attach to: it cannot be combined with --print and its formats');
  }
  if (noSessionPersistence) throw usage('--bg needs a session that is stored: nobody could attach to it otherwise');
  if (process.env[INSIDE] === undefined) return startInBackground(argv);
  delete process.env[INSIDE];
  return haveSession(args);
}

async function startInBackground(argv: readonly string[]): Promise<number> {
  const [, script = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, script, ...argv], {
    env: { ...process.env, [INSIDE]: '1' },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.on('error', () => {}); // then nothing is said
  for await (const line of createInterface({ input: child.stdout })) {
    const said = tryParseJson(line);
    if (!isObject(said)) continue;
    if (typeof said.warning === 'string') process.stderr.write(said.warning);
    if (typeof said.error === 'string') throw new HeddleError('other', said.error);
    if (typeof said.session_id !== 'string') continue;
    process.stdout.write(`${said.session_id}\n`);
    child.stdout.destroy();
    child.unref();
    return 0;
  }
  throw new HeddleError('other', 'The process of the session has ended before the session was open');
}

/** The session without a terminal. Its first process reads what is said here until it knows the id. */
async function haveSession({ config, prompt }: ParsedArgs): Promise<number> {
  const say = (what: Record<string, string>) => void process.stdout.write(`${JSON.stringify(what)}\n`);
  process.stdout.on('error', () => {}); // it has heard enough
  const engine = openProcessEngine(() => {});
  let isHeard = true;
  try {
    const stderr = (warning: string) => {
      if (isHeard) say({ warning });
    };
    const { shared, found, outlive } = ownSession(engine, {
      config: sessionConfig(config, () => engine.runtime.ids.uuid()),
      stderr,
    });
    const sessionId = await shared.opened;
    if (sessionId === null) {
      const { error } = await shared.ended;
      say({ error: error?.message ?? 'The session could not be opened' });
      return 1;
    }
    await shared.hub.ask({ subtype: 'initialize', permissionPreviews: true });
    if (prompt !== undefined) {
      const uuid = engine.runtime.ids.uuid();
      const origin = { kind: 'human', host_name: 'heddle --bg' };
      shared.hub.inject({ type: 'user', uuid, message: { role: 'user', content: prompt }, origin });
    }
    await found;
    isHeard = false;
    say({ session_id: sessionId });
    return await outlive('detach');
  } finally {
    await engine.close();
  }
}

/**
 * Reads what a session may still need. Nobody watches it: it must not end because of an upgrade, after which code that is
 * loaded late is gone, or another version's.
 *
 * The build reads all bundles before this module runs (`scripts/lib/outputs.mjs`). The function itself reads the parser of
 * commands, which lies outside of them, and what most sessions use of the rest.
 */
export async function readWholeProgram({ readCommand, runtime }: Engine): Promise<void> {
  try {
    await import('../../host/control/control-table.ts');
    await import('../../host/link/read-permission-answer.ts');
    await readCommand(EVERY_KIND_OF_WORD);
  } catch (error) {
    runtime.log('debug', `Not all code could be loaded: ${error}`);
  }
}

const EVERY_KIND_OF_WORD = 'for each in "$@"; do true "$(false)"; done';
