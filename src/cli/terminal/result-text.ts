import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import { printable } from '../../util/text/printable.ts';
import { failureSentence } from './failure-sentence.ts';

/** The output of a run in text mode; null: none. */
export interface RunText {
  stdout: string | null;
  stderr: string | null;
}

export interface ResultView {
  /** stdout and stderr are one terminal, with a person who sees both. */
  isTerminal: boolean;
  /** The `permission_denied` lines of the run: denials without a question. */
  denied: readonly JsonObject[];
  /** The available commands, as `init` lists them. */
  commands?: unknown;
}

/** What text mode prints for a result. */
export function resultText(result: JsonObject, view: ResultView): RunText {
  const denials = Array.isArray(result.permission_denials) ? result.permission_denials.length : 0;
  const text = stringField(result, 'result') ?? '';
  const isFine = result.subtype === 'success' && result.is_error !== true && denials === 0;
  if (isFine && !text.startsWith('Unknown skill: ')) return { stdout: text, stderr: null };
  return troubleText(result, view);
}

/**
 * The output of a local command, as a line of its own: its result does not say which stream it belongs to (wire.md
 * 2.7).
 */
export function commandText(line: JsonObject): RunText | null {
  const { type, message } = line;
  const content = type === 'user' ? stringField(message, 'content') : stringField(line, 'local_command_source');
  const found = /^<local-command-(stdout|stderr)>([\s\S]*)<\/local-command-\1>$/.exec(content ?? '');
  if (!found) return null;
  const text = found[2] ?? '';
  return found[1] === 'stdout' ? { stdout: text, stderr: null } : { stdout: null, stderr: text };
}

/**
 * The output of text mode for a result that is an error, or after which something was denied. The fixed texts are part
 * of the wire format: hosts match them on stdout. An error also has a line on stderr; a run that never started has only
 * that. On one terminal for both, an error is printed once.
 */
export function troubleText(result: JsonObject, { isTerminal, denied, commands }: ResultView): RunText {
  const text = stringField(result, 'result') ?? '';
  if (result.is_error !== true && result.subtype === 'success') {
    return { stdout: text, stderr: deniedLines(result, denied) ?? unknownCommandLine(text, commands) };
  }
  if (result.num_turns === 0) return { stdout: null, stderr: startFailureText(result) };
  const stdout = result.subtype === 'success' ? text : fixedText(result);
  return { stdout: isTerminal ? null : stdout, stderr: `heddle: ${failureSentence(result)}` };
}

/** The command that the user may have meant by an unknown one. The text itself is part of the wire format. */
export function unknownCommandLine(text: string, commands: unknown): string | null {
  const [, name] = /^Unknown skill: (\S+)$/.exec(text) ?? [];
  if (name === undefined) return null;
  const near = nearestWord(name, Array.isArray(commands) ? commands.map(String) : []);
  const meant = near === null ? '' : `; did you mean /${printable(near)}?`;
  return `heddle: there is no command /${printable(name)}${meant} (/help lists the commands)`;
}

/**
 * Reports that there was nothing to resume. Damage is already logged; branches that were left alone are not a problem.
 */
export function resumedLines({ dropped, unfinished_turn }: JsonObject): string[] {
  const all = Array.isArray(dropped) ? dropped.filter(isObject) : [];
  const others = all.filter(({ line, uuid }) => line === undefined && uuid === undefined);
  const offer = 'the last turn was cut off; --continue-turn instead of a message continues it';
  const reasons = others.map((each) => printable(stringField(each, 'reason') ?? ''));
  return [...reasons, ...(isObject(unfinished_turn) ? [offer] : [])].map((reason) => `heddle: ${reason}`);
}

/** Programs search for exactly this text on stderr. */
const NOT_FOUND = 'No conversation found with session ID: ';

/** Why a run could not start: all lines of it, and a next step where the fixed text has none. */
function startFailureText(result: JsonObject): string {
  const error = errorOf(result);
  const shown = error.split('\n').map(printable).join('\n');
  if (error.startsWith(NOT_FOUND)) return `${shown}\nheddle: see which sessions there are: heddle sessions list --all`;
  return `heddle: ${shown.replace(/^error: /i, '')}`;
}

/** Further denials are only counted. */
const MAX_DENIALS = 5;

/** No one could be asked: the answer itself may not say which flags would have helped. */
function deniedLines({ permission_denials: denials }: JsonObject, denied: readonly JsonObject[]): string | null {
  if (!Array.isArray(denials) || denials.length === 0) return null;
  const reasons = new Set(
    denied.map((line) => `${stringField(line, 'tool_name')}: ${stringField(line, 'decision_reason')}`),
  );
  if (reasons.size === 0) {
    const names = new Set(denials.map((each) => stringField(each, 'tool_name')));
    return `heddle: not permitted: ${[...names].join(', ')} (--allowedTools and --permission-mode allow more)`;
  }
  const lines = [...reasons].slice(0, MAX_DENIALS).map((reason) => `heddle: not permitted: ${printable(reason)}`);
  const more = reasons.size - lines.length;
  return [...lines, ...(more > 0 ? [`heddle: … and ${more} more that were not permitted`] : [])].join('\n');
}

function fixedText(result: JsonObject): string {
  switch (result.subtype) {
    case 'error_max_turns':
    case 'error_max_budget_usd':
      return `Error: ${errorOf(result)}`;
    case 'error_max_structured_output_retries':
      return 'Error: Failed to provide valid structured output after maximum retries';
    default:
      return 'Execution error';
  }
}

function errorOf({ errors }: JsonObject): string {
  return Array.isArray(errors) && errors.length > 0 ? String(errors[0]) : 'The run failed';
}
