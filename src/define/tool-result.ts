import { kindOf } from '../util/checks.ts';
import { isObject } from '../util/json.ts';

/** The expected return value of a handler, for error texts. */
const EXPECTED = "expected a text, or { content: [{ type: 'text', text: '…' }] }";

/** The fields of a result; MCP has no others. */
const FIELDS = ['content', 'structuredContent', 'isError', '_meta'];

/** Why the return value of a handler is not a result, as the rest of a sentence after its name; null when it is one. */
export function resultProblem(value: unknown): string | null {
  if (typeof value === 'string') return null;
  if (!isObject(value)) return `returned ${kindOf(value)}; ${EXPECTED}`;
  const keys = Object.keys(value);
  if (keys.length > 0 && !keys.some((key) => FIELDS.includes(key))) {
    return `returned an object with ${keys
      .slice(0, 3)
      .map((key) => `'${key}'`)
      .join(', ')}; ${EXPECTED}`;
  }
  const { content } = value;
  if (content === undefined) return null;
  if (!Array.isArray(content)) return `returned ${kindOf(content)} as content; ${EXPECTED}`;
  const at = content.findIndex((item) => !isContent(item));
  return at < 0 ? null : `returned content whose item ${at + 1} is none; ${EXPECTED}`;
}

/** Unknown kinds pass, because the reader of the result may know them. */
function isContent(item: unknown): boolean {
  if (!isObject(item) || typeof item.type !== 'string') return false;
  if (item.type === 'text') return typeof item.text === 'string';
  if (item.type !== 'image' && item.type !== 'audio') return true;
  return typeof item.data === 'string' && typeof item.mimeType === 'string';
}
