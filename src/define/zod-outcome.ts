import type { Parsed } from '../util/parsed.ts';

/** The result of `safeParse` in every version of zod, as far as it is used here. */
export type ZodOutcome = { success: true; data: unknown } | { success: false; error: { issues: readonly ZodIssue[] } };

interface ZodIssue {
  path: readonly PropertyKey[];
  message: string;
}

export function toParsed(outcome: ZodOutcome): Parsed<unknown> {
  if (outcome.success) return { ok: true, value: outcome.data };
  return { ok: false, problems: outcome.error.issues.map(toProblem) };
}

function toProblem({ path, message }: ZodIssue): string {
  return `${path.map(String).join('.') || 'the input'}: ${message}`;
}
