import { mergeLayers } from '../../config/settings/merge.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { ProcessOutcome } from '../../util/process/process.ts';
import { cutText } from '../../util/text/cut-text.ts';
import type { StatusLineResult } from '../../wire/control/index.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { refreshRules } from '../session/refresh-rules.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';
import { statusLineInput } from './status-line-input.ts';

/** A status line that needs longer is not one. */
const LIMIT_MS = 5000;
/** More than any status line has. */
const MAX_BYTES = 64 * 1024;
const MAX_ERROR = 400;

/**
 * `status_line`: runs the command of the setting `statusLine` once, and answers what it has printed. It runs in the
 * directory of the session, without credentials, and is ended with everything that it started when the host withdraws
 * the request, or after five seconds. The settings of a project count only as far as the project is trusted.
 */
export async function statusLine(
  context: ControlContext,
  { columns, rows, vim_mode: vimMode }: ControlBody,
  signal: AbortSignal,
): Promise<StatusLineResult> {
  const size = { ...sizeVariable('COLUMNS', 'columns', columns), ...sizeVariable('LINES', 'rows', rows) };
  if (vimMode !== undefined && typeof vimMode !== 'string') throw invalidRequest('vim_mode', 'a string');
  // Between turns nothing else looks whether the files have changed.
  if (!context.session.isBusy) await refreshRules(context.main);
  const setting = settingInForce(context);
  const command = stringField(setting, 'command')?.trim() ?? '';
  if (command === '') return { configured: false };
  const ran = await run(context, { command, input: statusLineInput(context, vimMode), size }, signal);
  const { padding, refreshInterval, hideVimModeIndicator } = setting;
  return {
    configured: true,
    ...context.services.hideCredentials(ran),
    ...(typeof padding === 'number' && { padding }),
    ...(typeof refreshInterval === 'number' && { refresh_interval: refreshInterval }),
    ...(hideVimModeIndicator === true && { hide_vim_mode: true }),
  };
}

function sizeVariable(name: string, field: string, value: unknown): Record<string, string> {
  if (value === undefined) return {};
  if (!Number.isInteger(value) || (value as number) < 1) throw invalidRequest(field, 'a whole number above 0');
  return { [name]: String(value) };
}

/** Empty where there is none. `disableAllHooks` turns it off, as in the reference. */
function settingInForce({ services }: ControlContext): JsonObject {
  const { statusLine: setting, disableAllHooks } = mergeLayers(services.configuration.loaded.layers);
  return isObject(setting) && disableAllHooks !== true ? setting : {};
}

interface Started {
  command: string;
  input: JsonObject;
  size: Readonly<Record<string, string>>;
}

interface Ran {
  output: string;
  exit_code?: number;
  error?: string;
}

async function run({ main, services }: ControlContext, started: Started, signal: AbortSignal): Promise<Ran> {
  const { workplace } = main;
  const printed = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const bytes = { stdout: 0, stderr: 0 };
  const own = {
    ...workplace.environment(),
    ...{ CLAUDECODE: '1', CLAUDE_PROJECT_DIR: workplace.project, CLAUDE_CODE_SESSION_ID: services.id },
    ...started.size,
  };
  const spec = {
    args: ['-c', started.command],
    cwd: workplace.shell.current(),
    env: workplace.sandbox.shell?.beside(own) ?? own,
    input: `${JSON.stringify(started.input)}\n`,
    timeoutMs: LIMIT_MS,
    endsTree: true,
    onOutput(stream: 'stdout' | 'stderr', data: Buffer) {
      if (bytes[stream] < MAX_BYTES) printed[stream].push(data);
      bytes[stream] += data.length;
    },
  };
  const text = (stream: 'stdout' | 'stderr') => Buffer.concat(printed[stream]).subarray(0, MAX_BYTES).toString('utf8');
  try {
    const outcome = await runShell(workplace.runOutside, spec, signal);
    return report(outcome, { stdout: text('stdout'), stderr: text('stderr') });
  } catch (error) {
    signal.throwIfAborted();
    return { output: '', error: messageOf(error) };
  }
}

type Run = ControlContext['main']['workplace']['runOutside'];

/** Bash, as for hooks; the plain shell where Bash is missing. */
async function runShell(run: Run, spec: Omit<Parameters<Run>[0], 'command'>, signal: AbortSignal) {
  try {
    return await run({ ...spec, command: '/bin/bash' }, signal);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    return run({ ...spec, command: '/bin/sh' }, signal);
  }
}

function report({ exitCode, timedOut }: ProcessOutcome, { stdout, stderr }: { stdout: string; stderr: string }): Ran {
  if (timedOut) return { output: '', error: `it took longer than ${LIMIT_MS / 1000} seconds` };
  if (exitCode === 0) return { output: stdout, exit_code: 0 };
  const how = exitCode === null ? 'a signal ended it' : `it ended with the exit code ${exitCode}`;
  const said = cutText(stderr.trim(), MAX_ERROR);
  const error = said === '' ? how : `${how}: ${said}`;
  return { output: '', ...(exitCode !== null && { exit_code: exitCode }), error };
}
