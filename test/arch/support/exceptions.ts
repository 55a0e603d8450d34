import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/root.ts';

/** One place in the code that breaks a rule. */
export interface Finding {
  /** Names the place without a line number, so that an exception outlives edits above it: `src/a.ts openFile`. */
  key: string;
  /** What is wrong and what to do: `src/a.ts:12 openFile has 130 lines: cut it`. */
  text: string;
  /** How bad it is, where the rule has a limit (lines, members). Otherwise findings of one key are counted. */
  amount?: number;
}

/** The amount that is tolerated for a key. */
type Exceptions = Record<string, number>;

const FILE = 'test/arch/rule-exceptions.json';
const UPDATE = 'UPDATE=1 npx vitest run --no-file-parallelism test/arch/rooms.test.ts test/arch/*rules.test.ts';

/** What breaks a rule and is not an exception, and exceptions that are none any more. `UPDATE` rewrites the list first. */
export function problems(rule: string, findings: readonly Finding[]): string[] {
  const { UPDATE: mode } = process.env;
  if (mode) write(rule, updated(mode, exceptionsOf(rule), findings));
  return compare(rule, exceptionsOf(rule), findings);
}

export function compare(rule: string, listed: Exceptions, findings: readonly Finding[]): string[] {
  const amounts = amountsOf(findings);
  const broken = findings
    .filter(({ key }) => (amounts[key] ?? 0) > (listed[key] ?? 0))
    .map(({ key, text }) => (key in listed ? `${text} (its exception allows ${listed[key]}, not more)` : text));
  const stale = Object.keys(listed)
    .filter((key) => !(key in amounts))
    .map(
      (key) => `${FILE} lists "${key}" under "${rule}", which keeps the rule now: remove that line, or run ${UPDATE}`,
    );
  return [...broken, ...stale];
}

/**
 * The new list of a rule. `1` removes and lowers entries, no more. `renamed` takes new names too, after files or
 * functions were renamed, if there are no more entries than before. `init` writes the list of a new rule.
 */
export function updated(mode: string, listed: Exceptions, findings: readonly Finding[]): Exceptions {
  const amounts = amountsOf(findings);
  const hasGrown = Object.keys(amounts).length > Object.keys(listed).length;
  const takesAll = mode === 'init' || (mode === 'renamed' && !hasGrown);
  const left = Object.entries(amounts)
    .filter(([key]) => takesAll || key in listed)
    .map(([key, amount]): [string, number] => [
      key,
      mode === 'init' ? amount : Math.min(amount, listed[key] ?? amount),
    ]);
  return Object.fromEntries(left.sort(byName));
}

function exceptionsOf(rule: string): Exceptions {
  return readAll()[rule] ?? {};
}

function write(rule: string, exceptions: Exceptions): void {
  const all = Object.entries({ ...readAll(), [rule]: exceptions }).sort(byName);
  writeFileSync(join(ROOT, FILE), `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function amountsOf(findings: readonly Finding[]): Exceptions {
  const amounts: Exceptions = {};
  for (const { key, amount } of findings) {
    amounts[key] = amount === undefined ? (amounts[key] ?? 0) + 1 : Math.max(amounts[key] ?? 0, amount);
  }
  return amounts;
}

function readAll(): Record<string, Exceptions> {
  return JSON.parse(readFileSync(join(ROOT, FILE), 'utf8')) as Record<string, Exceptions>;
}
