import { isObject, type JsonObject } from '../util/json.ts';

/** The value of a header: `$NAME` and `${NAME}` are filled in for the allowed names; other names become empty. */
export function fillHeader(
  value: string,
  env: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[],
): string {
  return value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return allowed.includes(name) ? (env[name] ?? '') : '';
  });
}

const FIELD = /\$\{([\w.]+)\}/g;

/** The input of a tool, with fields of the event for `${tool_input.file_path}`. Absent fields become empty. */
export function fillInput(template: JsonObject, event: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fill(value, event)]));
}

function fill(value: unknown, event: JsonObject): unknown {
  if (typeof value === 'string') return fillText(value, event);
  if (Array.isArray(value)) return value.map((each) => fill(each, event));
  return isObject(value) ? fillInput(value, event) : value;
}

/** A text that is only a placeholder becomes the field itself: a number, a list. */
function fillText(text: string, event: JsonObject): unknown {
  const [whole, path] = /^\$\{([\w.]+)\}$/.exec(text) ?? [];
  if (whole !== undefined && path !== undefined) return fieldOf(event, path) ?? '';
  return text.replace(FIELD, (_whole, name: string) => {
    const found = fieldOf(event, name) ?? '';
    return typeof found === 'string' ? found : JSON.stringify(found);
  });
}

function fieldOf(event: JsonObject, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), event);
}
