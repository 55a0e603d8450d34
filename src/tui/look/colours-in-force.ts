import { type ColourLevel, colourLevel } from '../rows/colour-level.ts';
import type { Palette } from '../rows/row.ts';
import { isLight } from './colour.ts';
import { readThemeFiles, type ThemeFiles } from './theme-files.ts';
import { type Background, paletteOf, THEMES, type Theme } from './themes.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The theme that the terminal has, by what the person chose and what the terminal tells about itself. */
export class ColoursInForce {
  readonly #level: ColourLevel;
  readonly #home: string | null;
  #files: ThemeFiles;
  #background: Background | null;
  #name = 'auto';

  constructor(env: Env, home: string | null) {
    this.#level = colourLevel(env);
    this.#background = backgroundIn(env);
    this.#home = home;
    this.#files = readThemeFiles(home);
  }

  /** What is wrong with files of themes. */
  get problems(): readonly string[] {
    return this.#files.problems;
  }

  /** The files of themes as they are now. */
  readFiles(): void {
    this.#files = readThemeFiles(this.#home);
  }

  get name(): string {
    return this.#name;
  }

  get themes(): readonly { name: string; what: string }[] {
    const all = Object.entries({ ...this.#files.themes, ...THEMES }).map(([name, { what }]) => ({ name, what }));
    return [{ name: 'auto', what: 'dark or light, as the terminal is' }, ...all];
  }

  /** Whether a question to the terminal about its background would change anything. */
  get asksBackground(): boolean {
    return this.#name === 'auto' && (this.#level === 'all' || this.#level === '256');
  }

  /** False: there is no such theme, and nothing has changed. `custom:NAME` is a theme of a file, in the reference's words. */
  use(name: string): boolean {
    const plain = name.replace(/^custom:/, '');
    if (plain !== 'auto' && !this.#find(plain)) return false;
    this.#name = plain;
    return true;
  }

  /** What the terminal answers about its background. */
  background(colour: readonly [number, number, number]): void {
    this.#background = isLight(colour) ? 'light' : 'dark';
  }

  palette(name: string = this.#name): Palette {
    const theme = name === 'auto' ? this.#auto() : this.#find(name);
    return paletteOf(theme ?? null, this.#level);
  }

  /** Sixteen colours are the terminal's own, and fit its background by themselves. */
  #auto(): Theme | null {
    if (this.#background === null || this.#level === 'sixteen') return null;
    return THEMES[this.#background] ?? null;
  }

  #find(name: string): Theme | undefined {
    const themes = Object.hasOwn(THEMES, name) ? THEMES : this.#files.themes;
    return Object.hasOwn(themes, name) ? themes[name] : undefined;
  }
}

/** Some terminals tell it by numbers of their sixteen colours: text, then background. */
function backgroundIn({ COLORFGBG = '' }: Env): Background | null {
  const number = /^\d+;(?:[^;]*;)?(\d+)$/.exec(COLORFGBG)?.[1];
  if (number === undefined) return null;
  return Number(number) === 7 || Number(number) > 8 ? 'light' : 'dark';
}
