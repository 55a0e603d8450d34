import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { nearestWord } from '../util/nearest.ts';
import { printable } from '../util/printable.ts';
import { failureSentence } from './failure-sentence.ts';
import type { ResultView, RunText } from './result-text.ts';

/**
 * What text mode prints for a result that is an error, or after which something was denied. The fixed texts are wire
 * shape (ruling P5): hosts match them on stdout. An error has a line on stderr besides (ruling K6); a run that never
 * started has only that. Where a person sees both on one terminal, an error is told once.
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

/** What may have been meant by a command that there is not. The text itself is wire shape. */
export function unknownCommandLine(text: string, commands: unknown): string | null {
  const [, name] = /^Unknown skill: (\S+)$/.exec(text) ?? [];
  if (name === undefined) return null;
  const near = nearestWord(name, Array.isArray(commands) ? commands.map(String) : []);
  const meant = near === null ? '' : `; did you mean /${printable(near)}?`;
  return `heddle: there is no command /${printable(name)}${meant} (/help lists the commands)`;
}

/** That there was nothing to resume. Damage has been logged; branches that were left alone are no trouble. */
export function resumedLines({ dropped }: JsonObject): string[] {
  const all = Array.isArray(dropped) ? dropped.filter(isObject) : [];
  const others = all.filter(({ line, uuid }) => line === undefined && uuid === undefined);
  return others.map((each) => `heddle: ${printable(stringField(each, 'reason') ?? '')}`);
}

/** A text that programs look for on stderr, word for word (ruling P5). */
const NOT_FOUND = 'No conversation found with session ID: ';

/** Why a run could not start: all lines of it, and a next step where the fixed text has none. */
function startFailureText(result: JsonObject): string {
  const error = errorOf(result);
  const shown = error.split('\n').map(printable).join('\n');
  if (error.startsWith(NOT_FOUND)) return `${shown}\nheddle: see which sessions there are: heddle sessions list --all`;
  return `heddle: ${shown.replace(/^error: /i, '')}`;
}

/** More of them are counted. */
const MAX_DENIALS = 5;

/** Nobody could be asked: the answer may not say what would have helped. */
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
