import type { Processes } from '../../util/process/process.ts';
import { pluginError } from '../plugin-error.ts';

/** What fetching needs of its program. */
export interface FetchTools {
  /** The environment of the user: git and npm find their credentials by it. */
  env: Readonly<Record<string, string | undefined>>;
  run: Processes['run'];
  fetch(url: string, init: RequestInit): Promise<Response>;
  signal: AbortSignal;
  /** Says what is being done; each text replaces the last. */
  report(doing: string): void;
}

const TIMEOUT_MS = 120_000;
const MAX_CHARS = 1_000_000;

export interface ToolCall {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** For errors. */
  doing: string;
}

/** The output of a program. Rejects with `plugin_failed`, which quotes it, when it fails or takes too long. */
export async function outputOf(call: ToolCall, { run, signal }: FetchTools): Promise<string> {
  const output = { stdout: '', stderr: '' };
  const { doing, ...spec } = call;
  const outcome = await run(
    {
      ...spec,
      timeoutMs: TIMEOUT_MS,
      endsTree: true,
      onOutput(stream, data) {
        if (output[stream].length < MAX_CHARS) output[stream] += data.toString('utf8');
      },
    },
    signal,
  );
  if (outcome.timedOut) throw pluginError(`${doing}: no answer within ${TIMEOUT_MS / 1000} s`);
  if (outcome.exitCode !== 0)
    throw pluginError(`${doing}: ${saidBy(output.stderr) || `it ended with ${outcome.exitCode}`}`);
  return output.stdout;
}

/** The line that tells most. */
function saidBy(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((each) => /^(?:fatal|error|npm error (?!code|errno))/.test(each)) ?? lines.at(-1) ?? '';
  return line
    .replace(/^(?:fatal: |npm error )/, '')
    .replace(/(\w+:\/\/)[^/\s]+@/g, '$1…@')
    .slice(0, 500);
}
