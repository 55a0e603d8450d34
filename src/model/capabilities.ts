import { EFFORT_LEVELS, type EffortLevel } from '../wire/effort-levels.ts';
import { canonicalName } from './provider-names.ts';

/** Whether a model decides by itself how long to think (adaptive thinking): Claude from 4.6 on. */
export function pacesItsThinking(model: string): boolean {
  const version = claudeVersion(model);
  return version !== null && isAtLeast(version, 4, 6);
}

/**
 * The effort levels that a model accepts: Claude from 4.6 on, and Opus 4.5. Null: unknown, as for models of other
 * makers, which get the level that the user asked for.
 */
export function effortLevels(model: string): readonly EffortLevel[] | null {
  const version = claudeVersion(model);
  if (!version) return null;
  if (isAtLeast(version, 4, 7)) return EFFORT_LEVELS;
  if (isAtLeast(version, 4, 6)) return ['low', 'medium', 'high', 'max'];
  return version.family === 'opus' && isAtLeast(version, 4, 5) ? ['low', 'medium', 'high'] : [];
}

/** The effort that is sent: the nearest level at or below `wanted` that the model accepts; null: none. */
export function effortFor(model: string, wanted: string): string | null {
  const levels = effortLevels(model);
  const rank = EFFORT_LEVELS.indexOf(wanted as EffortLevel);
  if (levels === null || rank < 0) return wanted;
  return levels.findLast((level) => EFFORT_LEVELS.indexOf(level) <= rank) ?? null;
}

interface ClaudeVersion {
  family: string;
  major: number;
  minor: number;
}

function claudeVersion(model: string): ClaudeVersion | null {
  const [, family = '', major, minor = 0] =
    /^claude-([a-z]+)-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(canonicalName(model)) ?? [];
  return major === undefined ? null : { family, major: Number(major), minor: Number(minor) };
}

function isAtLeast({ major, minor }: ClaudeVersion, leastMajor: number, leastMinor: number): boolean {
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
