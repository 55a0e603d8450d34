/** A colour as red, green and blue, from 0 to 255, or one of the sixteen of the terminal. */
export type Colour = readonly [red: number, green: number, blue: number] | number;

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/**
 * A colour as theme files write it: `#rrggbb`, `#rgb`, `rgb(1, 2, 3)`, `ansi256(208)`, `ansi:cyanBright`. Null for anything
 * else.
 */
export function readColour(text: string): Colour | null {
  const [, short, long, rgb, indexed, name, isBright] =
    /^(?:#([\da-f]{3})|#([\da-f]{6})|rgb\(\s*(\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3})\s*\)|ansi256\(\s*(\d{1,3})\s*\)|ansi:([a-z]+?)(bright)?)$/i.exec(
      text.trim(),
    ) ?? [];
  if (short !== undefined) return fromHex([...short].map((digit) => digit + digit).join(''));
  if (long !== undefined) return fromHex(long);
  if (rgb !== undefined) return checked(rgb.split(',').map(Number));
  if (indexed !== undefined) return Number(indexed) < 256 ? fromIndex(Number(indexed)) : null;
  const at = NAMES.indexOf(name?.toLowerCase() ?? '');
  return at < 0 ? null : at + (isBright === undefined ? 0 : 8);
}

function fromHex(hex: string): Colour | null {
  return checked([0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)));
}

function checked([red = 256, green = 256, blue = 256]: readonly number[]): Colour | null {
  return red < 256 && green < 256 && blue < 256 ? [red, green, blue] : null;
}

/** The steps of the cube of 6 x 6 x 6 colours behind the first sixteen. */
const STEPS = [0, 95, 135, 175, 215, 255];

function fromIndex(index: number): Colour {
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return [grey, grey, grey];
  }
  const cube = index - 16;
  const step = (at: number) => STEPS[at % 6] ?? 0;
  return [step(Math.floor(cube / 36)), step(Math.floor(cube / 6)), step(cube)];
}

/** The parameters of SGR for a colour of text. */
export function sgrOf(colour: Colour, level: '256' | 'all'): string {
  if (typeof colour === 'number') return String(colour < 8 ? 30 + colour : 82 + colour);
  return level === 'all' ? `38;2;${colour.join(';')}` : `38;5;${nearestIndex(colour)}`;
}

/** The nearest of the 240 colours that no theme of a terminal changes. */
function nearestIndex([red, green, blue]: Exclude<Colour, number>): number {
  const step = (value: number) =>
    STEPS.reduce((best, each, at) => (Math.abs(each - value) < Math.abs((STEPS[best] ?? 0) - value) ? at : best), 0);
  const [r, g, b] = [step(red), step(green), step(blue)];
  const cube = { index: 16 + 36 * r + 6 * g + b, colour: [STEPS[r] ?? 0, STEPS[g] ?? 0, STEPS[b] ?? 0] as const };
  const level = Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const grey = 8 + 10 * level;
  const away = ([x, y, z]: readonly [number, number, number]) => (x - red) ** 2 + (y - green) ** 2 + (z - blue) ** 2;
  return away([grey, grey, grey]) < away(cube.colour) ? 232 + level : cube.index;
}

/** Whether text on this colour should be dark. */
export function isLight([red, green, blue]: readonly [number, number, number]): boolean {
  return luminance([red, green, blue]) > 0.18;
}

/** As WCAG defines it: 0 is black, 1 is white. */
export function luminance(colour: readonly [number, number, number]): number {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
