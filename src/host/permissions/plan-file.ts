import { dirname, join } from 'node:path';
import { planAdvice } from '../../tools/user/plan-mode.ts';
import type { PlanPort } from '../../tools/user/plan-port.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { reminder } from '../../util/text/reminder-text.ts';

const ADJECTIVES =
  'amber brisk calm deft early fair gentle hardy ivory jolly keen lively mellow neat open proud quiet rapid sunny tidy urban vivid warm young'.split(
    ' ',
  );
const PARTICIPLES =
  'baking carving drifting echoing floating gliding humming idling jumping knitting leaping mending nesting orbiting pacing quilting roaming sailing turning unfolding voyaging weaving'.split(
    ' ',
  );
const NOUNS =
  'anchor beacon cedar delta ember fjord garnet harbor island juniper kestrel lantern meadow nectar orchard pebble quarry river shuttle thicket upland valley willow yarrow'.split(
    ' ',
  );

/** A three-word name for a session's plan, from a uuid: the same uuid always gives the same name. */
export function planNameFrom(uuid: string): string {
  const number = (from: number) => Number.parseInt(uuid.replaceAll('-', '').slice(from, from + 8), 16) || 0;
  const pick = (words: readonly string[], from: number) => words[number(from) % words.length];
  return [pick(ADJECTIVES, 0), pick(PARTICIPLES, 8), pick(NOUNS, 16)].join('-');
}

/** The path of the plan of that name; null when the session writes no files, or the plan has no name yet. */
export function planFile(configHome: string | null, name: string | undefined | null): string | null {
  // A resumed session has its own stored name; only plain words may become a path.
  if (configHome === null || !name || !/^[a-z\d]+(-[a-z\d]+)*$/i.test(name)) return null;
  return join(configHome, 'plans', `${name}.md`);
}

/** Makes the folder of a file, readable for the user only. Returns the path; null when the folder cannot be made. */
export function ensureFolder(path: string | null): string | null {
  if (path === null) return null;
  try {
    makeDirectory(dirname(path), 0o700);
    return path;
  } catch {
    return null;
  }
}

/** The file of a session's plan. */
export interface PlanFile {
  /** Gives the plan its name; from then on the name is in the envelope of every entry. */
  ensureName(): void;
  /** The path of the plan, in an existing folder; null when the session writes no files. */
  file(): string | null;
}

/** The reminder for the model with each prompt in plan mode, and with the first prompt after it. */
export function planReminder(isOn: boolean, plan: Pick<PlanPort, 'planFile' | 'planInstructions'>): string {
  return reminder(isOn ? `${RULE} ${planAdvice(plan)}` : 'Plan mode is off.');
}

const RULE = 'Plan mode is on: only reading is possible, and nothing else is allowed, until the user approves a plan.';
