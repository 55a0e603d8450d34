import type { JsonObject } from '../../util/json.ts';
import { withoutTrailing } from '../../util/text/without-trailing.ts';

export interface YamlProblem {
  /** Counted from the first line of the file. */
  line: number;
  message: string;
}

export interface ParsedYaml {
  values: JsonObject;
  /** Values of one line as they are written, by key: `[name]` is a list in YAML, but a hint for people. */
  written: ReadonlyMap<string, string>;
  problems: YamlProblem[];
}

/**
 * Parses the part of YAML that people write at the top of Markdown files: nested maps and lists, quoted and plain text,
 * text blocks, `[a, b]` and `{a: b}`. It accepts more than YAML where the meaning is clear: a colon in a plain text is
 * a colon. It skips and reports unreadable parts, and never throws.
 */
export function parseYaml(text: string, { firstLine = 1 }: { firstLine?: number } = {}): ParsedYaml {
  const reader = new Reader(text, firstLine);
  const { problems, written } = reader;
  return { values: reader.map(0, 0), written, problems };
}

interface Line {
  indent: number;
  /** Without the indentation and the trailing blanks. */
  text: string;
  raw: string;
  number: number;
}

/** Deeper than any real file; a hostile file must not exhaust the stack. */
const MAX_DEPTH = 20;

const KEY = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#'"[{][^:]*)):(?:\s+(.*))?$/;
/** In brackets a quoted key needs no blank after its colon. */
const JSON_KEY = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')():(.*)$/;
const ITEM = /^-(?:\s+(.*))?$/;
const BLOCK = /^([|>])([+-]?)\d?[+-]?\s*(?:#.*)?$/;

class Reader {
  readonly problems: YamlProblem[] = [];
  readonly written = new Map<string, string>();
  readonly #lines: Line[];
  #at = 0;

  constructor(text: string, firstLine: number) {
    this.#lines = text.split('\n').map((raw, index) => {
      const indent = /^ */.exec(raw)?.[0].length ?? 0;
      return { indent, text: raw.slice(indent).trimEnd(), raw, number: firstLine + index };
    });
  }

  /** The `key: value` lines at this indentation. */
  map(indent: number, depth: number): JsonObject {
    const entries: [string, unknown][] = [];
    const keys = new Set<string>();
    for (let line = this.#next(); line && line.indent >= indent; line = this.#next()) {
      const found = KEY.exec(line.text);
      if (line.indent > indent || !found) {
        this.#skip(line, line.indent > indent ? 'is indented further than what it belongs to' : 'is no `key: value`');
        continue;
      }
      const key = keyOf(found);
      this.#at++;
      if (keys.has(key)) this.#warn(line, `gives ${key} a second time; the last one counts`);
      keys.add(key);
      if (depth === 0 && found[4] !== undefined) this.written.set(key, found[4].trim());
      entries.push([key, this.#value(found[4] ?? '', line, depth)]);
    }
    // Not by assignment: a key named `__proto__` must be an ordinary key.
    return Object.fromEntries(entries);
  }

  #list(indent: number, depth: number): unknown[] {
    const items: unknown[] = [];
    for (let line = this.#next(); line && line.indent === indent; line = this.#next()) {
      const found = ITEM.exec(line.text);
      if (!found) break;
      const rest = found[1] ?? '';
      if (rest !== '' && KEY.test(rest) && !isFlow(rest)) {
        // A map that begins on the line of its dash: its other keys have the indentation of the first.
        const inner = { ...line, indent: indent + line.text.length - rest.length, text: rest };
        this.#lines[this.#at] = inner;
        items.push(this.#deeper(depth, () => this.map(inner.indent, depth + 1)));
      } else {
        this.#at++;
        items.push(this.#value(rest, line, depth));
      }
    }
    return items;
  }

  #value(rest: string, line: Line, depth: number): unknown {
    const block = BLOCK.exec(rest);
    if (block) return this.#textBlock(line, { folds: block[1] === '>', chomp: block[2] ?? '' });
    if (withoutComment(rest) === '') return this.#nested(line, depth);
    return scalar(this.#continued(rest, line));
  }

  #nested(line: Line, depth: number): unknown {
    const next = this.#next();
    if (!next) return null;
    const isItem = ITEM.test(next.text);
    if (next.indent < line.indent || (next.indent === line.indent && !isItem)) return null;
    const { indent } = next;
    // A text that begins on the line after its key.
    if (!isItem && !KEY.test(next.text)) {
      this.#at++;
      return scalar(this.#continued(next.text, line));
    }
    return this.#deeper(depth, () => (isItem ? this.#list(indent, depth + 1) : this.map(indent, depth + 1)));
  }

  #deeper<T>(depth: number, read: () => T): T | null {
    if (depth < MAX_DEPTH) return read();
    const line = this.#lines[this.#at] as Line;
    this.#warn(line, `is nested deeper than ${MAX_DEPTH} levels`);
    this.#at = this.#lines.length;
    return null;
  }

  /** A plain or quoted text continues over the lines with more indentation. */
  #continued(text: string, { indent }: Line): string {
    const parts = [text];
    for (let line = this.#next(); line && line.indent > indent; line = this.#next()) {
      parts.push(line.text);
      this.#at++;
    }
    return parts.join(' ');
  }

  #textBlock({ indent }: Line, { folds, chomp }: { folds: boolean; chomp: string }): string {
    const lines: Line[] = [];
    for (let line = this.#lines[this.#at]; line; line = this.#lines[++this.#at]) {
      if (line.text !== '' && line.indent <= indent) break;
      lines.push(line);
    }
    const margin = lines.find(({ text }) => text !== '')?.indent ?? 0;
    const texts = lines.map(({ raw }) => raw.slice(margin).trimEnd());
    const whole = withoutTrailing(folds ? folded(texts) : texts.join('\n'), '\n');
    return chomp === '-' || whole === '' ? whole : `${whole}\n`;
  }

  /** The next line that is not blank or a comment. */
  #next(): Line | undefined {
    for (let line = this.#lines[this.#at]; line; line = this.#lines[++this.#at]) {
      if (line.text === '' || line.text.startsWith('#')) continue;
      if (!line.text.startsWith('\t')) return line;
      this.#warn(line, 'is indented with a tab; use spaces');
    }
    return undefined;
  }

  #skip(line: Line, message: string): void {
    this.#warn(line, message);
    this.#at++;
  }

  #warn({ number }: Line, message: string): void {
    this.problems.push({ line: number, message });
  }
}

function keyOf([, double, single, plain = '']: RegExpExecArray): string {
  return double ?? single ?? plain.trim();
}

/** Joins lines with blanks; an empty line becomes a line feed. */
function folded(lines: readonly string[]): string {
  return lines.reduce((text, line, at) => {
    if (at === 0) return line;
    if (line === '') return `${text}\n`;
    return text.endsWith('\n') ? text + line : `${text} ${line}`;
  }, '');
}

function scalar(written: string): unknown {
  const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')\s*(?:#.*)?$/.exec(written);
  if (quoted?.[1] !== undefined) return unescaped(quoted[1]);
  if (quoted?.[2] !== undefined) return quoted[2].replaceAll("''", "'");
  const text = isProse(written) ? written.trim() : withoutComment(written);
  const bare = /^"(.*)"$|^'(.*)'$/s.exec(text);
  if (bare) return bare[1] ?? bare[2];
  if (isFlow(text)) return flow(text);
  if (text === '' || text === '~' || text === 'null') return null;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** A plain text with a colon in it is prose, not YAML; a number sign in it does not begin a comment. */
function isProse(written: string): boolean {
  return /^[^"'[{#\s](?:(?!\s#).)*?:\s/s.test(written);
}

/** A number sign after a blank begins a comment. */
function withoutComment(text: string): string {
  return text.replace(/(?:^|\s)#.*$/, '').trimEnd();
}

/** Whether the brackets at both ends are a pair: those of `[from] [to]` are not. */
function isFlow(text: string): boolean {
  const isBracketed = (text.startsWith('[') && text.endsWith(']')) || (text.startsWith('{') && text.endsWith('}'));
  return isBracketed && pieces(text.slice(1, -1)) !== null;
}

function flow(text: string): unknown {
  const parts = (pieces(text.slice(1, -1)) ?? []).map((part) => part.trim()).filter((part) => part !== '');
  if (text.startsWith('[')) return parts.map(scalar);
  return Object.fromEntries(
    parts.map((part) => {
      const found = KEY.exec(part) ?? JSON_KEY.exec(part);
      return found ? [keyOf(found), scalar(found[4] ?? '')] : [part, null];
    }),
  );
}

/** Splits at commas outside of brackets and quotes. Null when brackets do not match or are nested too deep. */
function pieces(text: string): string[] | null {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (quote !== '') {
      if (character === '\\' && quote === '"') at++;
      else if (character === quote) quote = '';
    } else if ((character === '"' || character === "'") && text.slice(start, at).trim() === '') quote = character;
    else if (character === '[' || character === '{' || character === '(') depth++;
    else if (character === ']' || character === '}' || character === ')') depth--;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
    if (depth < 0 || depth > MAX_DEPTH) return null;
  }
  return [...parts, text.slice(start)];
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', '0': '\0', b: '\b', f: '\f', e: '\x1b' };

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/g, (_all, four, two, one) => {
    const code = four ?? two;
    return code === undefined ? (ESCAPES[one] ?? one) : String.fromCharCode(Number.parseInt(code, 16));
  });
}
