import { type JsonObject, stringField } from '../util/json.ts';

/**
 * What text mode prints for a result. The fixed texts are wire shape (ruling P5): hosts match them on stdout. An error
 * has a line on stderr besides (ruling K6); a run that never started has only that.
 */
export function resultText(result: JsonObject): { stdout: string | null; stderr: string | null } {
  const errors = Array.isArray(result.errors) ? result.errors.map(String) : [];
  const [error = 'The run failed'] = errors;
  if (result.subtype === 'success') {
    const text = stringField(result, 'result') ?? '';
    return { stdout: text, stderr: result.is_error ? `heddle: ${firstLine(error)}` : null };
  }
  if (result.num_turns === 0) return { stdout: null, stderr: error };
  return { stdout: fixedText(result.subtype, error), stderr: `heddle: ${firstLine(error)}` };
}

export interface CommandText {
  stdout: string | null;
  stderr: string | null;
}

/** What a local command said: the result of its turn is empty, its words are in a line of their own (wire.md 2.7). */
export function commandText({ type, message }: JsonObject): CommandText | null {
  const content = type === 'user' ? stringField(message, 'content') : undefined;
  const found = /^<local-command-(stdout|stderr)>([\s\S]*)<\/local-command-\1>$/.exec(content ?? '');
  if (!found) return null;
  const text = found[2] ?? '';
  return found[1] === 'stdout' ? { stdout: text, stderr: null } : { stdout: null, stderr: text };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
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
