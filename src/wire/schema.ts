import * as z from 'zod/mini';

/** Checks data of the wire without changing it. */
export type Schema<T> = z.ZodMiniType<T, T>;

type Shape = z.core.$ZodLooseShape;
type Closed<S extends Shape> = z.infer<z.ZodMiniObject<z.core.util.Writeable<S>, z.core.$strip>>;

/**
 * An object of the wire: unknown keys pass at run time, while the inferred type only has the declared keys.
 *
 * Schemas at the top of a module pass their shape as a function, so that each is built on first use. Building all
 * validators of the wire at once would cost more than a short run spends on reading its lines.
 */
export function open<S extends Shape>(shape: S | (() => S)): Schema<Closed<S>> {
  const schema = typeof shape === 'function' ? z.lazy(() => z.looseObject(shape())) : z.looseObject(shape);
  return schema as unknown as Schema<Closed<S>>;
}

/**
 * A word from a list that grows with every release. The type lists the known words; the schema accepts any string,
 * because a new word must not make a whole line unreadable.
 */
export function word<const Words extends readonly [string, ...string[]]>(words: Words): Schema<Words[number]> {
  return z.lazy(() => z.union([z.enum(words), z.string()])) as unknown as Schema<Words[number]>;
}

/** Objects that the string in `key` distinguishes. An unknown string is refused. */
export function oneOf<const Known extends readonly Schema<unknown>[]>(
  key: string,
  known: () => Known,
): Schema<z.output<Known[number]>> {
  return z.lazy(() => discriminated(key, known())) as unknown as Schema<z.output<Known[number]>>;
}

/**
 * Like `oneOf`, but open: a known kind must have its shape, an unknown kind passes unchanged. The inferred type is the
 * union of the known kinds, so that `x[key] === 'kind'` narrows.
 */
export function kinds<const Known extends readonly Schema<unknown>[]>(
  key: string,
  known: () => Known,
): Schema<z.output<Known[number]>> {
  const schema = z.lazy(() => {
    const schemas = known();
    const names = schemas.flatMap((schema) => [...(schema._zod.propValues?.[key] ?? [])]);
    // Otherwise a known kind of bad shape would pass as an unknown one. A pattern, because JSON Schema can express it.
    const otherName = z.string().check(z.regex(new RegExp(`^(?!(${names.join('|')})$)`), { abort: true }));
    return z.union([discriminated(key, schemas), z.looseObject({ [key]: otherName })]);
  });
  return schema as unknown as Schema<z.output<Known[number]>>;
}

function discriminated(key: string, schemas: readonly Schema<unknown>[]) {
  return z.discriminatedUnion(key, schemas as unknown as [z.core.$ZodTypeDiscriminable]);
}

/** Any JSON object, unchanged. */
export const AnyObject = z.record(z.string(), z.unknown());

/**
 * The first problem, as `field.path: expected …`. Enters unions, so that it names the innermost field.
 *
 * @example
 * ```ts
 * const checked = UserMessage.safeParse({ type: 'user' });
 * if (!checked.success) console.log(firstIssue(checked.error));
 * ```
 */
export function firstIssue(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  if (!issue) return 'unreadable';
  const { path, expected } = deepest(issue);
  return path.length === 0 ? expected : `${path.map(String).join('.')}: ${expected}`;
}

function deepest(issue: z.core.$ZodIssue): { path: PropertyKey[]; expected: string } {
  if (issue.code !== 'invalid_union') return { path: issue.path, expected: expectation(issue) };
  const branches = issue.errors.flatMap((issues) => issues.slice(0, 1)).map(deepest);
  const longest = Math.max(0, ...branches.map((branch) => branch.path.length));
  const closest = branches.find((branch) => branch.path.length === longest);
  if (!closest) return { path: issue.path, expected: 'expected a known kind' };
  const samePlace = branches.filter((branch) => String(branch.path.map(String)) === String(closest.path.map(String)));
  const expected = [...new Set(samePlace.map((branch) => branch.expected))].join(', or ');
  return { path: [...issue.path, ...closest.path], expected };
}

/** Heddle's own texts: `zod/mini` has none unless the whole process sets a locale. */
function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `expected ${issue.expected}`;
  if (issue.code === 'invalid_value')
    return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
  return issue.message;
}
