import { dirname, join } from 'node:path';
import { makeDirectory } from '../util/make-directory.ts';

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
export function planName(uuid: string): string {
  const number = (from: number) => Number.parseInt(uuid.replaceAll('-', '').slice(from, from + 8), 16) || 0;
  const pick = (words: readonly string[], from: number) => words[number(from) % words.length];
  return [pick(ADJECTIVES, 0), pick(PARTICIPLES, 8), pick(NOUNS, 16)].join('-');
}

/** Where the plan of that name is written; null where there is no place for files, or no name yet. */
export function planFile(configHome: string | null, name: string | undefined | null): string | null {
  // A resumed session brings its own name; only words may become a path.
  if (configHome === null || !name || !/^[a-z\d]+(-[a-z\d]+)*$/i.test(name)) return null;
  return join(configHome, 'plans', `${name}.md`);
}

/** The same path, in a folder that is there and readable for the user alone (ruling G8); null where none can be made. */
export function withFolder(path: string | null): string | null {
  if (path === null) return null;
  try {
    makeDirectory(dirname(path), 0o700);
    return path;
  } catch {
    return null;
  }
}
