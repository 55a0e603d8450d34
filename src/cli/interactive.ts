import { inProcess } from '../host/serve/in-process.ts';
import { Tty } from '../tui/term/tty.ts';
import { runTui } from '../tui/tui.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { HEDDLE_VERSION } from '../wire/version.ts';
import type { ParsedArgs } from './flags/args.ts';
import { openProcessEngine } from './run/run.ts';

/**
 * `heddle` in a terminal: the terminal is a host like any other, over a linked pair to an engine in this process.
 * Resolves with the exit code.
 */
export async function runInteractive({ config, prompt }: ParsedArgs): Promise<number> {
  const { stdin, stdout, env } = process;
  const cwd = process.cwd();
  // Warnings reach the terminal by the launch.
  const engine = openProcessEngine(() => {});
  try {
    const { exitCode, lines } = await runTui({
      ...{ tty: new Tty({ stdin, stdout, env }), env, cwd, version: HEDDLE_VERSION },
      connect: async (stderr) => inProcess(engine)({ config: sessionConfig(config), stderr }),
      newId: () => engine.runtime.ids.uuid(),
      ...(prompt !== undefined && { prompt }),
    });
    for (const line of lines) stdout.write(`${line}\n`);
    return exitCode;
  } finally {
    await engine.close();
  }
}

/** What a session needs whose host draws it while it works. */
function sessionConfig(config: RunConfig): RunConfig {
  return {
    ...config,
    ...{ includePartialMessages: true, forwardSubagentText: true, replayUserMessages: true },
    permissionPromptTool: config.permissionPromptTool ?? 'stdio',
    fileCheckpointing: config.fileCheckpointing ?? true,
    ...(config.resume !== undefined || config.continue ? { replayHistory: true } : {}),
  };
}
