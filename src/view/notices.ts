import { type JsonObject, stringField } from '../util/json.ts';
import type { Notice } from './blocks.ts';
import { numberField, objectsIn, textField } from './line-fields.ts';

/** What a `system` line tells a person, in a line of its own; null where it tells nothing. */
export function noticeOf(line: JsonObject): Notice | null {
  switch (line.subtype) {
    case 'informational':
      return line.isMeta === true ? null : said(levelOf(line.level), 'info', textField(line, 'content'));
    case 'model_fallback':
      return said('warning', 'fallback', fallbackText(line));
    case 'model_refusal_fallback':
    case 'model_refusal_no_fallback':
      return said('warning', 'refusal', textField(line, 'content'));
    case 'hook_response':
      return hookNotice(line);
    case 'resume_report':
      return resumeNotice(line);
    case 'input_error':
      return said('error', 'input', textField(line, 'error'));
    case 'superseded':
      return said('warning', 'superseded', textField(line, 'reason') || 'an answer was replaced by another attempt');
    case 'mirror_error':
      return said('error', 'store', textField(line, 'error'));
    case 'session_writes_lost':
      return said('error', 'store', `the session could not be written: ${textField(line, 'error_code')}`);
    case 'status':
      return line.compact_result === 'failed' ? said('error', 'compaction', textField(line, 'compact_error')) : null;
    default:
      return null;
  }
}

/** What a line tells for a moment. */
export function passingNotice(line: JsonObject): Notice | null {
  if (line.type === 'auth_status') {
    const error = stringField(line, 'error');
    return error === undefined ? null : said('error', 'auth', error);
  }
  if (line.type === 'system' && line.subtype === 'notification') return said('info', 'info', textField(line, 'text'));
  return null;
}

function said(level: Notice['level'], from: string, text: string): Notice | null {
  return text.trim() === '' ? null : { level, from, text };
}

function levelOf(level: unknown): Notice['level'] {
  return level === 'warning' ? 'warning' : 'info';
}

function fallbackText(line: JsonObject): string {
  const content = textField(line, 'content');
  return content === ''
    ? `${textField(line, 'fallback_model')} answers instead of ${textField(line, 'original_model')}`
    : content;
}

/** A hook that did what it should is not worth a line. */
function hookNotice(line: JsonObject): Notice | null {
  if (line.outcome !== 'error') return null;
  const output = (textField(line, 'stderr') || textField(line, 'output')).trim();
  const code = numberField(line, 'exit_code');
  const how = code === null ? 'failed' : `failed with exit code ${code}`;
  return said(
    'warning',
    'hook',
    `the hook ${textField(line, 'hook_name')} ${how}${output === '' ? '' : `: ${output}`}`,
  );
}

function resumeNotice(line: JsonObject): Notice | null {
  const reasons = objectsIn(line, 'dropped').map((each) => textField(each, 'reason'));
  return said('warning', 'resume', reasons.filter((reason) => reason !== '').join('\n'));
}
