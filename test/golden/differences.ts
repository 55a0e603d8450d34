import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/root.ts';

/** A difference between a recording and what we do, as the tools of wire/ tell it. */
export interface Difference {
  path: string;
  message: string;
}

/** One that is meant to be: `*` stands for anything, as in the replay tool. */
export interface Expected {
  scenario: string;
  path: string;
  /** Narrows an entry to differences that say just this. */
  message?: string;
  /** How many differences it stands for, in all its scenarios together: one more, or one less, is a failure. Default: 1. */
  count?: number;
  /** Depends on which of two things is ready first, so that it may be absent. */
  sometimes?: true;
  ruling: string;
}

export const expectedDifferences = JSON.parse(
  readFileSync(join(ROOT, 'test/golden/expected-differences.json'), 'utf8'),
) as Expected[];

/** The differences of a scenario that no entry stands for. */
export function unexpected(scenario: string, differences: readonly Difference[]): Difference[] {
  return differences.filter((each) => !expectedDifferences.some((entry) => covers(entry, scenario, each)));
}

/**
 * The entries that occur more or less often than they say: the list tells how far we really are from the reference.
 * Entries for many scenarios are not counted in those of no fixed order: a line that stands elsewhere there counts as
 * missing, and then so do the differences inside of it.
 */
export function untrueEntries(
  entries: readonly Expected[],
  outcomes: ReadonlyMap<string, readonly Difference[]>,
): (Expected & { found: number })[] {
  const all = [...outcomes].flatMap(([scenario, differences]) => differences.map((each) => ({ scenario, each })));
  const unordered = new Set(entries.filter(({ sometimes }) => sometimes).map(({ scenario }) => scenario));
  const ordered = all.filter(({ scenario }) => !unordered.has(scenario));
  return entries.flatMap((entry) => {
    const among = entry.scenario.includes('*') ? ordered : all;
    const found = among.filter(({ scenario, each }) => covers(entry, scenario, each)).length;
    return entry.sometimes || found === (entry.count ?? 1) ? [] : [{ ...entry, found }];
  });
}

/** Thousands of differences meet hundreds of entries, so every pattern is made once. */
const globs = new Map<string, RegExp>();

export function glob(pattern: string): RegExp {
  const made = globs.get(pattern) ?? makeGlob(pattern);
  globs.set(pattern, made);
  return made;
}

function makeGlob(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

function covers(entry: Expected, scenario: string, { path, message }: Difference): boolean {
  const says = entry.message === undefined || glob(entry.message).test(message);
  return says && glob(entry.scenario).test(scenario) && glob(entry.path).test(path);
}
