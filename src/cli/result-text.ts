import { type JsonObject, stringField } from '../util/json.ts';

/** What a run in text mode writes; null: nothing. */
export interface RunText {
  stdout: string | null;
  stderr: string | null;
}

export interface ResultView {
  /** stdout and stderr are one terminal, with a person who sees both. */
  isTerminal: boolean;
  /** The `permission_denied` lines of the run: denials that nobody was asked about. */
  denied: readonly JsonObject[];
  /** The commands that there are, as `init` lists them. */
  commands?: unknown;
}

/** What text mode prints for a result. What tells of trouble is loaded with the first that there is. */
export async function resultText(result: JsonObject, view: ResultView): Promise<RunText> {
  const denials = Array.isArray(result.permission_denials) ? result.permission_denials.length : 0;
  const text = stringField(result, 'result') ?? '';
  const isFine = result.subtype === 'success' && result.is_error !== true && denials === 0;
  if (isFine && !text.startsWith('Unknown skill: ')) return { stdout: text, stderr: null };
  return (await import('./trouble-text.ts')).troubleText(result, view);
}

/** What a local command said, in a line of its own: its result does not tell of which stream it is (wire.md 2.7). */
export function commandText(line: JsonObject): RunText | null {
  const { type, message } = line;
  const content = type === 'user' ? stringField(message, 'content') : stringField(line, 'local_command_source');
  const found = /^<local-command-(stdout|stderr)>([\s\S]*)<\/local-command-\1>$/.exec(content ?? '');
  if (!found) return null;
  const text = found[2] ?? '';
  return found[1] === 'stdout' ? { stdout: text, stderr: null } : { stdout: null, stderr: text };
}
