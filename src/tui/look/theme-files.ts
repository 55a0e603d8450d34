import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readSmallFile } from '../../util/files/small-file.ts';
import { isObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { readColour } from './colour.ts';
import { COLOURED, type ColouredStyle, THEMES, type Theme, type ThemeColours } from './themes.ts';

const MAX_BYTES = 64 * 1024;
const MOST_FILES = 200;

/** The names of the reference for what Heddle has a style for. Its other ones, such as backgrounds, have no effect. */
const OF_REFERENCE: Readonly<Record<string, ColouredStyle>> = {
  ...{ claude: 'accent', success: 'good', error: 'error', warning: 'warning', inactive: 'dim' },
};

export interface ThemeFiles {
  /** By the names of their files. */
  readonly themes: Readonly<Record<string, Theme>>;
  /** What is wrong with files, as sentences. */
  readonly problems: readonly string[];
}

/** The person's own themes, `themes/*.json` of the config home. A faulty colour costs itself, a faulty file the file. */
export function readThemeFiles(home: string | null): ThemeFiles {
  const themes: Record<string, Theme> = {};
  const problems: string[] = [];
  for (const name of home === null ? [] : filesIn(join(home, 'themes'))) {
    const file = join(home ?? '', 'themes', name);
    try {
      themes[name.replace(/\.json$/, '')] = readTheme(readSmallFile(file, MAX_BYTES).toString('utf8'), (problem) => {
        problems.push(`${file}: ${problem}.`);
      });
    } catch (error) {
      problems.push(`${file} is no theme: ${messageOf(error)}.`);
    }
  }
  return { themes, problems };
}

function filesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^[\w.-]+\.json$/.test(name));
    return names.sort().slice(0, MOST_FILES);
  } catch {
    return []; // there are none
  }
}

/** Throws for a text that is no theme; `report` gets what is left out of one. */
export function readTheme(text: string, report: (problem: string) => void): Theme {
  const given: unknown = JSON.parse(text);
  if (!isObject(given)) throw new Error('it must be an object with base and overrides');
  const { base: name = 'dark', overrides = {} } = given;
  const base = typeof name === 'string' && Object.hasOwn(THEMES, name) ? THEMES[name] : undefined;
  if (!base) throw new Error(`base must be one of ${Object.keys(THEMES).join(', ')}`);
  if (!isObject(overrides)) throw new Error('overrides must be an object of colours');
  const own: Partial<Record<ColouredStyle, ThemeColours[ColouredStyle]>> = {};
  for (const [key, value] of Object.entries(overrides)) {
    const style = styleOf(key);
    if (!style) continue;
    const colour = typeof value === 'string' ? readColour(value) : null;
    if (colour === null) report(`overrides.${key} must be a colour such as "#6cb6ff", "rgb(1, 2, 3)" or "ansi:cyan"`);
    else own[style] = colour;
  }
  const what = typeof given.name === 'string' ? given.name : 'your own';
  return { what, background: base.background, colours: { ...base.colours, ...own } };
}

function styleOf(key: string): ColouredStyle | undefined {
  if (Object.hasOwn(OF_REFERENCE, key)) return OF_REFERENCE[key];
  return COLOURED.find((style) => style === key);
}
