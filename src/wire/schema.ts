import * as z from 'zod/mini';

/** Checks data of the wire without changing it: what goes in comes out. */
export type Schema<T> = z.ZodMiniType<T, T>;

type Shape = z.core.$ZodLooseShape;
type Closed<S extends Shape> = z.infer<z.ZodMiniObject<z.core.util.Writeable<S>, z.core.$strip>>;

/**
 * An object of the wire: unknown keys pass at run time, yet the inferred type is the closed object, so that code sees
 * only what is declared. Types are a minimum [FWD-05].
 *
 * Schemas at the top of a module pass their shape as a function: building all validators of the wire would cost more
 * than a short run spends on reading its lines, so each is built when it is first used.
 */
export function open<S extends Shape>(shape: S | (() => S)): Schema<Closed<S>> {
  const schema = typeof shape === 'function' ? z.lazy(() => z.looseObject(shape())) : z.looseObject(shape);
  return schema as unknown as Schema<Closed<S>>;
}

/**
 * A word from a list that grows with every release: typed as the words we know, read as any string, because a new
 * word must not make a whole line unreadable.
 */
export function word<const Words extends readonly [string, ...string[]]>(words: Words): Schema<Words[number]> {
  return z.lazy(() => z.union([z.enum(words), z.string()])) as unknown as Schema<Words[number]>;
}

/** Objects told apart by the string in `key`; any other string there is refused. */
export function oneOf<const Known extends readonly Schema<unknown>[]>(
  key: string,
  known: () => Known,
): Schema<z.output<Known[number]>> {
  return z.lazy(() => discriminated(key, known())) as unknown as Schema<z.output<Known[number]>>;
}

/**
 * Like `oneOf`, but open: a known kind must have its shape, an unknown kind passes untouched [FWD-01, FWD-03]. The
 * inferred type is the union of the known kinds, so that `x[key] === 'kind'` narrows.
 */
export function kinds<const Known extends readonly Schema<unknown>[]>(
  key: string,
  known: () => Known,
): Schema<z.output<Known[number]>> {
  const schema = z.lazy(() => {
    const schemas = known();
    const names = schemas.flatMap((schema) => [...(schema._zod.propValues?.[key] ?? [])]);
    // Or else a known kind of bad shape would pass as an unknown one. A pattern, so that JSON Schema can say it too.
    const otherName = z.string().check(z.regex(new RegExp(`^(?!(${names.join('|')})$)`), { abort: true }));
    return z.union([discriminated(key, schemas), z.looseObject({ [key]: otherName })]);
  });
  return schema as unknown as Schema<z.output<Known[number]>>;
}

function discriminated(key: string, schemas: readonly Schema<unknown>[]) {
  return z.discriminatedUnion(key, schemas as unknown as [z.core.$ZodTypeDiscriminable]);
}

/** Any JSON object, kept as it is. */
export const AnyObject = z.record(z.string(), z.unknown());

/**
 * The first thing wrong, as `field.path: expected …`. Unions are entered, so that the innermost field is named.
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

/** Our own words: `zod/mini` has none unless a locale is set for the whole process. */
function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `expected ${issue.expected}`;
  if (issue.code === 'invalid_value')
    return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
  return issue.message;
}
