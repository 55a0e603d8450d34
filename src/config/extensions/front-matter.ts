import { isObject, type JsonObject } from '../../util/json.ts';
import { parseYaml, type YamlProblem } from './yaml.ts';

/** A parsed Markdown file. */
export interface FrontMatter {
  values: JsonObject;
  /** Values of one line as they are written, by key. */
  written: ReadonlyMap<string, string>;
  body: string;
  problems: YamlProblem[];
}

/** Separates the front matter, between two lines of dashes at the top, from the body. Never throws. */
export function readFrontMatter(file: string): FrontMatter {
  const text = file.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const opening = /^---[ \t]*\n/.exec(text);
  if (!opening) return withoutAny(text);
  const rest = text.slice(opening[0].length);
  const closing = /^---[ \t]*(?:\n|$)/m.exec(rest);
  if (!closing) {
    const message = 'opens a block of settings that no second line of dashes closes, so that all of it is text';
    return { ...withoutAny(text), problems: [{ line: 1, message }] };
  }
  if (closing.index > MAX_CHARS) {
    const message = `has more than ${MAX_CHARS / 1024} KB of settings at its top, which is too much to be read`;
    return { ...withoutAny(rest.slice(closing.index + closing[0].length)), problems: [{ line: 1, message }] };
  }
  const parsed = parseYaml(rest.slice(0, closing.index), { firstLine: 2 });
  return { ...parsed, body: rest.slice(closing.index + closing[0].length) };
}

/** More than anyone writes; a stranger's file must not hold up the session. */
const MAX_CHARS = 128 * 1024;

function withoutAny(body: string): FrontMatter {
  return { values: {}, written: new Map(), body, problems: [] };
}

/** The text of a value, also where YAML would read it as a number or a list. */
export function textValue({ values, written }: FrontMatter, key: string): string | undefined {
  const value = values[key];
  if (typeof value === 'string') return value.trim();
  if (value === undefined || value === null) return undefined;
  return written.get(key) ?? String(value);
}

/** A list, or a text split at commas. Commas in parentheses do not split: `Bash(git log, git diff), Read`. */
export function listValue({ values }: FrontMatter, key: string): string[] | undefined {
  const value = values[key];
  if (value === undefined || value === null || isObject(value)) return undefined;
  const parts = Array.isArray(value) ? value.map(String) : String(value).split(/,(?![^(]*\))/);
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** A list of tool names, which blanks separate, too: `Read Grep`, `Bash(git log), Read`. */
export function toolsValue(file: FrontMatter, key: string): string[] | undefined {
  if (Array.isArray(file.values[key])) return listValue(file, key);
  return listValue(file, key)?.flatMap((part) => part.split(/\s+(?![^(]*\))/));
}

/** A boolean; undefined when the key is absent. */
export function switchValue({ values }: FrontMatter, key: string): boolean | undefined {
  const value = values[key];
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' ? /^(yes|on|true)$/i.test(value) : undefined;
}
