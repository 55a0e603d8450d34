import type { ColourLevel } from '../rows/colour-level.ts';
import { NO_COLOURS, type Palette, SIXTEEN_COLOURS, type Style } from '../rows/row.ts';
import { type Colour, sgrOf } from './colour.ts';

/** The styles that a theme colours; the others are bold, italic and the like in every theme. */
export const COLOURED = [
  ...(['accent', 'added', 'removed', 'good', 'warning', 'error', 'code', 'link', 'dim'] as const),
  ...(['keyword', 'string', 'number', 'comment', 'function', 'type'] as const),
] as const satisfies readonly Style[];
export type ColouredStyle = (typeof COLOURED)[number];

export type ThemeColours = Readonly<Partial<Record<ColouredStyle, Colour>>>;

/** The background that a theme is for. */
export type Background = 'dark' | 'light';

export interface Theme {
  readonly what: string;
  readonly background: Background;
  readonly colours: ThemeColours;
}

const hex = (text: string): Colour => [16, 8, 0].map((bits) => (Number.parseInt(text, 16) >> bits) & 255) as never;

const DARK: ThemeColours = {
  ...{ accent: hex('6cb6ff'), added: hex('6bc46d'), removed: hex('ff938a'), good: hex('6bc46d'), error: hex('ff938a') },
  ...{ warning: hex('e0a84a'), code: hex('76d3d0'), link: hex('96c8ff'), dim: hex('9aa4af') },
  ...{ keyword: hex('dcbdfb'), string: hex('a5d6a0'), number: hex('e8b86d'), comment: hex('9aa4af') },
  ...{ function: hex('96c8ff'), type: hex('76d3d0') },
};

const LIGHT: ThemeColours = {
  ...{ accent: hex('0a58a8'), added: hex('14692a'), removed: hex('a8201a'), good: hex('14692a'), error: hex('a8201a') },
  ...{ warning: hex('845400'), code: hex('0b6470'), link: hex('0a4f96'), dim: hex('5c646d') },
  ...{ keyword: hex('7b2fa0'), string: hex('26652c'), number: hex('80500a'), comment: hex('5c646d') },
  ...{ function: hex('0a4f96'), type: hex('0b6470') },
};

/** Blue and orange differ for those who do not tell red from green, and so does their brightness. */
const DARK_DALTONIZED: ThemeColours = {
  ...DARK,
  ...{
    added: hex('66b3ff'),
    good: hex('66b3ff'),
    removed: hex('ffb454'),
    error: hex('ffb454'),
    warning: hex('fff08a'),
  },
  ...{ accent: hex('9ad7ff'), string: hex('a9c8f0'), number: hex('ffcf8f') },
};

const LIGHT_DALTONIZED: ThemeColours = {
  ...LIGHT,
  ...{
    added: hex('00478f'),
    good: hex('00478f'),
    removed: hex('9c4a00'),
    error: hex('9c4a00'),
    warning: hex('6b5a00'),
  },
  ...{ accent: hex('005a9c'), string: hex('1f4e80'), number: hex('7a4a00') },
};

/** Numbers are the colours of the terminal: 8 and more are the bright ones. */
const DARK_ANSI: ThemeColours = {
  ...{ accent: 14, added: 10, removed: 9, good: 10, warning: 11, error: 9, code: 14, link: 12, dim: 7 },
  ...{ keyword: 13, string: 10, number: 11, comment: 7, function: 12, type: 14 },
};

const LIGHT_ANSI: ThemeColours = {
  ...{ accent: 4, added: 2, removed: 1, good: 2, warning: 5, error: 1, code: 6, link: 4, dim: 8 },
  ...{ keyword: 5, string: 2, number: 6, comment: 8, function: 4, type: 6 },
};

/** The themes that come with Heddle; `auto` chooses between the first two. */
export const THEMES: Readonly<Record<string, Theme>> = {
  dark: { what: 'for dark backgrounds', background: 'dark', colours: DARK },
  light: { what: 'for light backgrounds', background: 'light', colours: LIGHT },
  'dark-daltonized': { what: 'dark, without red and green', background: 'dark', colours: DARK_DALTONIZED },
  'light-daltonized': { what: 'light, without red and green', background: 'light', colours: LIGHT_DALTONIZED },
  'dark-ansi': { what: 'dark, with the sixteen colours of the terminal', background: 'dark', colours: DARK_ANSI },
  'light-ansi': { what: 'light, with the sixteen colours of the terminal', background: 'light', colours: LIGHT_ANSI },
};

const SIXTEEN: Readonly<Record<Background, ThemeColours>> = { dark: DARK_ANSI, light: LIGHT_ANSI };

/**
 * What a theme looks like on a terminal with so many colours. Null is `auto` before the background is known: the
 * terminal's own colours fit whatever it is.
 */
export function paletteOf(theme: Theme | null, level: ColourLevel): Palette {
  if (level === 'none') return NO_COLOURS;
  if (theme === null) return SIXTEEN_COLOURS;
  const isPlain = level === 'sixteen' && Object.values(theme.colours).some((colour) => typeof colour !== 'number');
  const colours = isPlain ? SIXTEEN[theme.background] : theme.colours;
  const own = Object.entries(colours).map(([style, colour]) => [
    style,
    `${style === 'link' ? '4;' : ''}${sgrOf(colour, level === 'all' ? 'all' : '256')}`,
  ]);
  return { ...SIXTEEN_COLOURS, ...Object.fromEntries(own) };
}
