import { currentToolName, LEGACY_TOOL_NAME_ALIASES } from '../wire/tools/tool-names.ts';

export type Matches = (subject: string | undefined) => boolean;

export type Matcher = { ok: true; matches: Matches } | { ok: false; problem: string };

const ALL: Matcher = { ok: true, matches: () => true };
/** One name, or several with `|` between them. */
const NAMES = /^[\w.-]+(\s*\|\s*[\w.-]+)*$/;

/**
 * Reads a matcher: absent, empty and `*` match everything, a name or an alternation of names matches exactly these,
 * anything else is a regular expression that may match anywhere in the name. An event without a subject matches every
 * matcher.
 */
export function readMatcher(text: unknown): Matcher {
  if (text === undefined || text === null || text === '' || text === '*') return ALL;
  if (typeof text !== 'string') return { ok: false, problem: 'the matcher is no text' };
  if (NAMES.test(text)) return byNames(text);
  try {
    const pattern = new RegExp(text);
    return {
      ok: true,
      matches: (subject) => subject === undefined || bothNames(subject).some((name) => pattern.test(name)),
    };
  } catch {
    return { ok: false, problem: `the matcher ${JSON.stringify(text)} is no regular expression` };
  }
}

function byNames(text: string): Matcher {
  const names = new Set(text.split('|').map((name) => name.trim()));
  return { ok: true, matches: (subject) => subject === undefined || namesOf(subject).some((name) => names.has(name)) };
}

/**
 * A pattern does not apply to old names of a tool: `Bash.*` does not match `BashOutput`, an old name of `TaskOutput`.
 */
function bothNames(subject: string): string[] {
  return currentToolName(subject) === 'Task' ? ['Task', 'Agent'] : [subject];
}

/** A tool with several names matches by any of them. */
function namesOf(subject: string): string[] {
  const name = currentToolName(subject);
  const others = Object.keys(LEGACY_TOOL_NAME_ALIASES).filter((other) => currentToolName(other) === name);
  return [name, ...others];
}
