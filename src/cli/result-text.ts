import { type JsonObject, stringField } from '../util/json.ts';
import { printable } from '../util/printable.ts';

/**
 * What text mode prints for a result. The fixed texts are wire shape (ruling P5): hosts match them on stdout. An error
 * has a line on stderr besides (ruling K6); a run that never started has only that.
 */
export function resultText(result: JsonObject): { stdout: string | null; stderr: string | null } {
  const errors = Array.isArray(result.errors) ? result.errors.map(String) : [];
  const [error = 'The run failed'] = errors;
  if (result.subtype === 'success') {
    const text = stringField(result, 'result') ?? '';
    return { stdout: text, stderr: result.is_error ? `heddle: ${firstLine(error)}` : deniedLine(result) };
  }
  if (result.num_turns === 0) return { stdout: null, stderr: error.split('\n').map(printable).join('\n') };
  return { stdout: fixedText(result.subtype, error), stderr: `heddle: ${firstLine(error)}` };
}

/** Nobody could be asked: the answer may not say what would have helped. */
function deniedLine({ permission_denials: denials }: JsonObject): string | null {
  if (!Array.isArray(denials) || denials.length === 0) return null;
  const names = new Set(denials.map((each) => stringField(each, 'tool_name')));
  return `heddle: not permitted: ${[...names].join(', ')} (--allowedTools and --permission-mode allow more)`;
}

export interface CommandText {
  stdout: string | null;
  stderr: string | null;
}

/** What a local command said, in a line of its own: its result does not tell of which stream it is (wire.md 2.7). */
export function commandText(line: JsonObject): CommandText | null {
  const { type, message } = line;
  const content = type === 'user' ? stringField(message, 'content') : stringField(line, 'local_command_source');
  const found = /^<local-command-(stdout|stderr)>([\s\S]*)<\/local-command-\1>$/.exec(content ?? '');
  if (!found) return null;
  const text = found[2] ?? '';
  return found[1] === 'stdout' ? { stdout: text, stderr: null } : { stdout: null, stderr: text };
}

/** Errors quote servers: nothing of them may act on the terminal. */
function firstLine(text: string): string {
  return printable(text.split('\n', 1)[0] ?? '');
}

function fixedText(subtype: unknown, error: string): string {
  switch (subtype) {
    case 'error_max_turns':
    case 'error_max_budget_usd':
      return `Error: ${error}`;
    case 'error_max_structured_output_retries':
      return 'Error: Failed to provide valid structured output after maximum retries';
    default:
      return 'Execution error';
  }
}
