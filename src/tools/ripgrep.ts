import { Aborted } from '../util/abort.ts';
import { type ToolContext, ToolError } from './tool.ts';

/** What one search may return; more is cut off and the search ended. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/**
 * Hidden files are searched, version control's own are not. `--no-messages` silences files that cannot be opened, not
 * mistakes in the arguments.
 */
const COMMON = ['--no-config', '--no-messages', '--color=never', '--null', '--hidden'];
const VERSION_CONTROL = ['.git', '.hg', '.svn', '.jj'].flatMap((name) => ['--glob', `!${name}`]);

export interface Search {
  options: readonly string[];
  /** Pattern and paths; never taken for options. */
  operands: readonly string[];
  /** Where it runs: paths in the output and globs are relative to it. */
  dir: string;
}

export interface SearchOutput {
  text: string;
  /** There was more than could be taken. */
  cut: boolean;
}

/** Runs the bundled ripgrep, free of the user's configuration. A mistake in pattern or options is a ToolError. */
export async function ripgrep({ options, operands, dir }: Search, context: ToolContext): Promise<SearchOutput> {
  const { rgPath } = await import('@vscode/ripgrep'); // not on the start path
  const chunks: Buffer[] = [];
  let size = 0;
  let stderr = '';
  const enough = new AbortController();
  const onOutput = (stream: 'stdout' | 'stderr', data: Buffer) => {
    if (stream === 'stderr') {
      stderr = (stderr + data).slice(0, 4000);
      return;
    }
    size += data.length;
    if (size <= MAX_OUTPUT_BYTES) chunks.push(data);
    else enough.abort(new Aborted('superseded'));
  };
  const spec = {
    command: rgPath,
    // The last glob that matches wins: version control is left out whatever else was asked for.
    args: [...COMMON, ...options, ...VERSION_CONTROL, '--', ...operands],
    cwd: dir,
    env: { ...context.env, RIPGREP_CONFIG_PATH: undefined },
    timeoutMs: TIMEOUT_MS,
    onOutput,
  };
  const text = () => Buffer.concat(chunks).toString('utf8');
  try {
    const { exitCode, timedOut } = await context.workspace.exec(spec, AbortSignal.any([context.signal, enough.signal]));
    if (timedOut) throw new ToolError(`The search took longer than ${TIMEOUT_MS / 1000} s. Narrow it down.`);
    // 0 and 1 mean found and not found; 2 also when a file could not be opened, and that is no reason to fail.
    if (exitCode === 2 && stderr !== '') throw new ToolError(plainError(stderr));
    return { text: text(), cut: false };
  } catch (error) {
    if (enough.signal.aborted && !context.signal.aborted) return { text: text(), cut: true };
    throw error;
  }
}

function plainError(stderr: string): string {
  return `The search is not valid: ${stderr.replace(/^rg: /, '').trim()}`;
}
