import { isObject, type JsonObject } from '../util/json.ts';
import type { Parsed } from '../util/parsed.ts';

export type { Parsed };

/**
 * The input of a tool, written once: the JSON Schema that the model sees, the check of what it sends, and the type.
 *
 * A small builder of our own, because a schema library on the start path costs more than all tools together.
 *
 *     const input = objectInput({ file_path: string('…'), limit: optional(integer('…', { minimum: 1 })) });
 *     type Input = InputOf<typeof input>;
 */
export interface InputSchema<T> {
  readonly json: JsonObject;
  /**
   * The input with defaults filled in, or what is wrong with it, one plain sentence per problem.
   *
   * Strict about fields, lenient about spelling, as models are not: a number or boolean may come as a string ("12",
   * "true"), and null counts as absent where a field may be absent.
   */
  parse(value: unknown): Parsed<T>;
}

export type InputOf<S> = S extends InputSchema<infer T> ? T : never;

/** One value of an input; `P` says whether it may be absent. */
export interface Field<T, P extends Presence = 'required'> {
  readonly json: JsonObject;
  readonly presence: P;
  readonly fallback?: T;
  /** The value, or undefined after adding to `problems`. `name` is the field's name in a problem. */
  read(value: unknown, name: string, problems: string[]): T | undefined;
}

type Presence = 'required' | 'optional' | 'default';
type AnyField = Field<unknown, Presence>;
type Fields = Record<string, AnyField>;
type ValueOf<F> = F extends Field<infer T, Presence> ? T : never;
type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K]['presence'] extends 'optional' ? K : never }[keyof F];
type Flat<T> = { [K in keyof T]: T[K] };
type ObjectValue<F extends Fields> = Flat<
  { [K in Exclude<keyof F, OptionalKeys<F>>]: ValueOf<F[K]> } & { [K in OptionalKeys<F>]?: ValueOf<F[K]> }
>;

/** `others: 'keep'`: unknown fields pass unchanged. */
export function objectInput<F extends Fields>(
  fields: F,
  { others = 'refuse' }: { others?: 'refuse' | 'keep' } = {},
): InputSchema<ObjectValue<F>> {
  const field = objectOf('', fields, { others });
  return {
    json: field.json,
    parse(value) {
      const problems: string[] = [];
      const parsed = field.read(value, '', problems);
      return parsed === undefined || problems.length > 0 ? { ok: false, problems } : { ok: true, value: parsed };
    },
  };
}

export function string(description: string): Field<string> {
  return required(described({ type: 'string' }, description), (value, name, problems) => {
    if (typeof value === 'string') return value;
    return wrongType(problems, name, 'a string', value);
  });
}

export function boolean(description: string): Field<boolean> {
  return required(described({ type: 'boolean' }, description), (value, name, problems) => {
    if (typeof value === 'boolean') return value;
    if (value === 'true') return true;
    if (value === 'false') return false;
    return wrongType(problems, name, 'a boolean', value);
  });
}

interface Range {
  minimum?: number;
  maximum?: number;
}

export function number(description: string, range: Range = {}): Field<number> {
  return numeric('number', description, range);
}

export function integer(description: string, range: Range = {}): Field<number> {
  return numeric('integer', description, range);
}

export function oneOf<const T extends string>(values: readonly T[], description: string): Field<T> {
  return required(described({ type: 'string', enum: values }, description), (value, name, problems) => {
    const match = values.find((allowed) => allowed === value);
    if (match === undefined) problems.push(`${name} must be one of ${values.join(', ')}`);
    return match;
  });
}

interface Length {
  minItems?: number;
  maxItems?: number;
}

export function arrayOf<T>(item: Field<T>, description: string, length: Length = {}): Field<T[]> {
  const { minItems = 0, maxItems = Infinity } = length;
  return required(described({ type: 'array', items: item.json, ...length }, description), (value, name, problems) => {
    if (!Array.isArray(value)) return wrongType(problems, name, 'an array', value);
    if (value.length < minItems) problems.push(`${name} must have at least ${minItems} items, not ${value.length}`);
    if (value.length > maxItems) problems.push(`${name} must have at most ${maxItems} items, not ${value.length}`);
    const items: T[] = [];
    for (const [index, element] of value.entries()) {
      const read = item.read(element, `${name}[${index}]`, problems);
      if (read !== undefined) items.push(read);
    }
    return items;
  });
}

/** An object with any keys. */
export function recordOf<T>(item: Field<T>, description: string): Field<Record<string, T>> {
  const json = described({ type: 'object', additionalProperties: item.json }, description);
  return required(json, (value, name, problems) => {
    if (!isObject(value)) return wrongType(problems, name, 'an object', value);
    const members = Object.keys(value).map((key) => [key, item.read(value[key], memberName(name, key), problems)]);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  });
}

/** Any JSON value. */
export function anything(description: string): Field<unknown> {
  return required(described({}, description), (value) => value);
}

export function objectOf<F extends Fields>(
  description: string,
  fields: F,
  { others = 'refuse' }: { others?: 'refuse' | 'keep' } = {},
): Field<ObjectValue<F>> {
  const entries = Object.entries(fields);
  const needed = entries.filter(([, field]) => field.presence === 'required').map(([key]) => key);
  const json = described(
    {
      type: 'object',
      properties: Object.fromEntries(entries.map(([key, field]) => [key, field.json])),
      ...(needed.length > 0 && { required: needed }),
      additionalProperties: others === 'keep',
    },
    description,
  );
  return required(json, (value, name, problems) => {
    if (!isObject(value)) return wrongType(problems, name || 'The input', 'an object', value);
    const unknown = Object.keys(value).filter((key) => !Object.hasOwn(fields, key));
    if (others === 'refuse') refuseFields(unknown, fields, name, problems);
    const known = entries.map(([key, field]) => [key, readMember(value, key, field, name, problems)] as const);
    const result = [...known, ...unknown.map((key) => [key, value[key]] as const)];
    // `fromEntries` defines its keys, so none can reach a prototype.
    return Object.fromEntries(result.filter(([, member]) => member !== undefined)) as ObjectValue<F>;
  });
}

export function optional<T>(field: Field<T>): Field<T, 'optional'> {
  return { ...field, presence: 'optional' };
}

/** Absent on the wire means `fallback` for the tool. */
export function withDefault<T>(field: Field<T>, fallback: T): Field<T, 'default'> {
  return { ...field, presence: 'default', fallback, json: { ...field.json, default: fallback } };
}

function required<T>(json: JsonObject, read: Field<T>['read']): Field<T> {
  return { json, presence: 'required', read };
}

function described(json: JsonObject, description: string): JsonObject {
  return description === '' ? json : { ...json, description };
}

function numeric(type: 'number' | 'integer', description: string, range: Range): Field<number> {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  const { minimum = -Infinity, maximum = Infinity } = range;
  return required(described({ type, ...range }, description), (value, name, problems) => {
    const found = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof found !== 'number' || !Number.isFinite(found)) return wrongType(problems, name, kind, value);
    if (type === 'integer' && !Number.isInteger(found)) return wrongType(problems, name, kind, value);
    if (found >= minimum && found <= maximum) return found;
    problems.push(`${name} must be ${found < minimum ? `at least ${minimum}` : `at most ${maximum}`}`);
    return undefined;
  });
}

function readMember(object: JsonObject, key: string, field: AnyField, owner: string, problems: string[]): unknown {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  const absent = value === undefined || (value === null && field.presence !== 'required');
  if (!absent) return field.read(value, memberName(owner, key), problems);
  if (field.presence === 'required') problems.push(`${memberName(owner, key)} is missing`);
  return field.fallback;
}

function refuseFields(keys: readonly string[], fields: Fields, owner: string, problems: string[]): void {
  for (const key of keys) {
    problems.push(`${memberName(owner, key)} is not a known field (known: ${Object.keys(fields).join(', ')})`);
  }
}

function memberName(owner: string, key: string): string {
  return owner === '' ? key : `${owner}.${key}`;
}

function wrongType(problems: string[], name: string, expected: string, value: unknown): undefined {
  problems.push(`${name} must be ${expected}, not ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? `the string ${JSON.stringify(value.slice(0, 40))}` : String(value);
}
