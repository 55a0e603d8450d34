import { inProcess } from '../host/serve/in-process.ts';
import { Tty } from '../tui/term/tty.ts';
import { runTui } from '../tui/tui.ts';
import { findConfigHome } from '../util/own/config-home.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { HEDDLE_VERSION } from '../wire/version.ts';
import type { ParsedArgs } from './flags/args.ts';
import { openProcessEngine } from './run/run.ts';

/**
 * `heddle` in a terminal: the terminal is a host like any other, over a linked pair to an engine in this process.
 * Resolves with the exit code.
 */
export async function runInteractive({ config: given, prompt }: ParsedArgs): Promise<number> {
  const { stdin, stdout, env } = process;
  const cwd = process.cwd();
  // Warnings reach the terminal by the launch.
  const engine = openProcessEngine(() => {});
  const newId = () => engine.runtime.ids.uuid();
  const config = sessionConfig(given, newId);
  try {
    const { exitCode, lines } = await runTui({
      ...{ tty: new Tty({ stdin, stdout, env }), env, cwd, version: HEDDLE_VERSION, newId, ...stored(config) },
      connect: async (stderr) => inProcess(engine)({ config, stderr }),
      ...(prompt !== undefined && { prompt }),
    });
    for (const line of lines) stdout.write(`${line}\n`);
    return exitCode;
  } finally {
    await engine.close();
  }
}

/** Where the terminal stores what is typed. A config home that cannot be used stops the session, which says so. */
function stored({ noHistory, noSessionPersistence, sessionId }: RunConfig) {
  const home = findConfigHome(process.env);
  const isKept = !noHistory && !noSessionPersistence;
  return { home: home && 'path' in home ? home.path : null, isKept, sessionId: sessionId ?? null };
}

/** What a session needs whose host draws it while it works. A new one gets its id here, for the draft. */
function sessionConfig(config: RunConfig, newId: () => string): RunConfig {
  const isContinued = config.resume !== undefined || config.continue === true;
  return {
    ...config,
    ...{ includePartialMessages: true, forwardSubagentText: true, replayUserMessages: true },
    permissionPromptTool: config.permissionPromptTool ?? 'stdio',
    fileCheckpointing: config.fileCheckpointing ?? true,
    ...(isContinued ? { replayHistory: true } : { sessionId: config.sessionId ?? newId() }),
  };
}
