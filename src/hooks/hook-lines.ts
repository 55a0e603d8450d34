import type { JsonObject } from '../util/json.ts';
import type { Message } from '../wire/messages/index.ts';
import type { CommandReport } from './command.ts';

/** Lines stay far below a megabyte, the limit of other SDKs. */
const MAX_CHARS = 64_000;

/** The common fields of the lines of one run. */
export interface RunIdentity {
  hookId: string;
  name: string;
  event: string;
  sessionId: string;
}

export function startedLine(run: RunIdentity, uuid: string): Message {
  return line('hook_started', run, {}, uuid);
}

/** Output that arrives while the hook runs. */
export function progressLine(run: RunIdentity, output: { stdout: string; stderr: string }, uuid: string): Message {
  const { stdout, stderr } = output;
  const shown = { stdout: cut(stdout), stderr: cut(stderr), output: cut(stdout + stderr) };
  return line('hook_progress', run, shown, uuid);
}

export function responseLine(run: RunIdentity, report: CommandReport, uuid: string): Message {
  const isHidden = report.answer.suppressOutput;
  const stdout = isHidden ? '' : cut(report.stdout);
  const stderr = isHidden ? '' : cut(report.stderr);
  const code = report.exitCode === undefined ? {} : { exit_code: report.exitCode };
  return line(
    'hook_response',
    run,
    { output: cut(stdout + stderr), stdout, stderr, ...code, outcome: report.outcome },
    uuid,
  );
}

/** A line for people: a message of a hook, or the report that a hook failed. */
export function informationalLine(
  { content, level, ...more }: { content: string; level: 'notice' | 'warning' } & JsonObject,
  { uuid, sessionId }: { uuid: string; sessionId: string },
): Message {
  return {
    type: 'system',
    subtype: 'informational',
    content: cut(content),
    level,
    ...more,
    uuid,
    session_id: sessionId,
  };
}

function line(
  subtype: string,
  { hookId, name, event, sessionId }: RunIdentity,
  more: JsonObject,
  uuid: string,
): Message {
  const names = { hook_id: hookId, hook_name: name, hook_event: event };
  return { type: 'system', subtype, ...names, ...more, uuid, session_id: sessionId } as Message;
}

function cut(text: string): string {
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}\n[cut]`;
}
