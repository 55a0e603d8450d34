import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { luminance, readColour } from '../../../src/tui/look/colour.ts';
import { ColoursInForce } from '../../../src/tui/look/colours-in-force.ts';
import { COLOURED, paletteOf, THEMES } from '../../../src/tui/look/themes.ts';
import { type ColourLevel, colourLevel } from '../../../src/tui/rows/colour-level.ts';
import { NO_COLOURS, SIXTEEN_COLOURS } from '../../../src/tui/rows/row.ts';
import { withAsciiMarks } from '../../../src/tui/term/ascii-marks.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { createFakeTerminal } from '../../support/fake-terminal.ts';
import { openTerminal } from '../app/open-terminal.ts';
import { temporaryDirectory } from '../drafts/support.ts';

type Rgb = readonly [number, number, number];

const BACKGROUNDS: Readonly<Record<string, readonly Rgb[]>> = {
  dark: [
    [0, 0, 0],
    [30, 30, 30],
    [40, 44, 52],
  ],
  light: [
    [255, 255, 255],
    [250, 250, 245],
  ],
};
const withColours = Object.entries(THEMES).filter(([name]) => !name.endsWith('-ansi'));
const contrast = (one: Rgb, other: Rgb) => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

describe('[TUI-83] the themes', () => {
  test.each(withColours)('every colour of %s can be read on its background', (_name, { background, colours }) => {
    expect(Object.keys(colours).sort()).toEqual([...COLOURED].sort());
    for (const [style, colour] of Object.entries(colours)) {
      for (const behind of BACKGROUNDS[background] ?? []) {
        expect(contrast(colour as unknown as Rgb, behind), style).toBeGreaterThanOrEqual(4.5);
      }
    }
  });

  test.each(withColours.filter(([name]) => name.endsWith('daltonized')))(
    '%s: what was added and removed, what is good and wrong differ without red and green',
    (_name, { colours }) => {
      for (const pair of [
        ['added', 'removed'],
        ['good', 'error'],
        ['good', 'warning'],
      ] as const) {
        const [one, other] = pair.map((style) => withoutRedAndGreen(colours[style] as unknown as Rgb)) as [Rgb, Rgb];
        expect(Math.hypot(...one.map((part, at) => part - (other[at] ?? 0))), pair.join()).toBeGreaterThan(80);
      }
    },
  );

  test('a terminal gets as many colours as it has', () => {
    const dark = THEMES.dark ?? null;
    expect(paletteOf(dark, 'none')).toBe(NO_COLOURS);
    expect(paletteOf(null, 'all')).toBe(SIXTEEN_COLOURS);
    expect(paletteOf(dark, 'all').added).toMatch(/^38;2;\d+;\d+;\d+$/);
    expect(paletteOf(dark, '256').added).toMatch(/^38;5;\d+$/);
    for (const code of Object.values(paletteOf(dark, 'sixteen'))) expect(code).not.toContain('38;');
    expect(paletteOf(THEMES['dark-ansi'] ?? null, 'all').added).toBe('92');
  });

  test('colours are read in the forms of theme files', () => {
    expect(['#abc', '#A0B1C2', 'rgb(1, 2,3)', 'ansi256(208)', 'ansi:cyanBright', 'ansi:red'].map(readColour)).toEqual([
      ...[[170, 187, 204], [160, 177, 194], [1, 2, 3], [255, 135, 0], 14, 1],
    ]);
    expect(['red', '#12', 'rgb(1,2,300)', 'ansi256(256)', 'ansi:mauve', ''].map(readColour)).toEqual(
      Array(6).fill(null),
    );
  });
});

test.each<[ColourLevel, Record<string, string>]>([
  ['none', { TERM: 'dumb', COLORTERM: 'truecolor' }],
  ['none', { TERM: 'xterm-256color', NO_COLOR: '1', FORCE_COLOR: '3' }],
  ['none', { TERM: 'xterm-256color', FORCE_COLOR: '0' }],
  ['none', { TERM: 'xterm-mono' }],
  ['none', { TERM: 'vt220' }],
  ['sixteen', { TERM: 'xterm' }],
  ['sixteen', { TERM: 'linux' }],
  ['sixteen', { TERM: 'xterm-256color', NO_COLOR: '', FORCE_COLOR: '1' }],
  ['256', { TERM: 'screen-256color' }],
  ['256', { TERM: 'xterm', FORCE_COLOR: '2' }],
  ['all', { TERM: 'xterm-256color', COLORTERM: 'truecolor' }],
  ['all', { TERM: 'xterm-kitty' }],
  ['all', { TERM: 'xterm', FORCE_COLOR: '3' }],
  ['all', { TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }],
])('[TUI-83] %s colours for %j', (level, env) => {
  expect(colourLevel(env)).toBe(level);
});

test('[TUI-83] themes of files change colours of a base; what is wrong with them is named, and the rest acts', () => {
  const home = temporaryDirectory();
  mkdirSync(join(home, 'themes'));
  const put = (name: string, value: unknown) =>
    writeFileSync(join(home, 'themes', name), typeof value === 'string' ? value : JSON.stringify(value));
  put('moss.json', { name: 'Moss', base: 'light', overrides: { claude: '#010203', added: 'ansi:blue', text: '#fff' } });
  put('half.json', { base: 'dark', overrides: { error: 'mauve', success: '#040506' } });
  put('broken.json', '{');
  put('odd.json', { base: 'sepia' });
  const colours = new ColoursInForce({ COLORTERM: 'truecolor' }, home);
  expect(colours.themes.map(({ name }) => name)).toEqual(['auto', 'half', 'moss', ...Object.keys(THEMES)]);
  expect(colours.problems).toEqual([
    expect.stringMatching(/broken\.json is no theme: /),
    expect.stringMatching(/half\.json: overrides\.error must be a colour such as/),
    expect.stringMatching(/odd\.json is no theme: base must be one of dark, light/),
  ]);
  expect(colours.use('custom:moss')).toBe(true);
  expect(colours.palette()).toMatchObject({
    accent: '38;2;1;2;3',
    added: '34',
    removed: paletteOf(THEMES.light ?? null, 'all').removed,
  });
  expect(colours.palette('half').good).toBe('38;2;4;5;6');
  expect(colours.use('sepia')).toBe(false);
  expect(colours.name).toBe('moss');
});

const QUESTION = '\x1b]11;?\x07';
const colourful = { NO_COLOR: '', COLORTERM: 'truecolor' };
const settings = (values: JsonObject) => ({
  get_settings: () => ({ sources: [{ source: 'userSettings', settings: values }] }),
});

test('[TUI-83] auto is the terminal’s own colours until the terminal tells its background, also when that changes', async () => {
  const { terminal, app } = await openTerminal({ env: colourful });
  await vi.waitFor(() => expect(terminal.bytes.join('')).toContain(QUESTION));
  expect(app.context.palette).toBe(SIXTEEN_COLOURS);
  terminal.type('\x1b]11;rgb:1e1e/1e1e/2e2e\x07');
  expect(app.context.palette).toEqual(paletteOf(THEMES.dark ?? null, 'all'));
  terminal.type('\x1b]11;rgb:ff/ff/f0\x1b\\');
  expect(app.context.palette).toEqual(paletteOf(THEMES.light ?? null, 'all'));
  terminal.type('typed');
  await vi.waitFor(async () => expect(await terminal.shown()).toContain('❯ typed'));
});

test('[TUI-83] a terminal without colours, and one whose theme is chosen, is not asked', async () => {
  const without = await openTerminal();
  const chosen = await openTerminal({ env: colourful, answers: settings({ theme: 'dark-daltonized' }) });
  await vi.waitFor(() => expect(chosen.app.look.loaded?.theme).toBe('dark-daltonized'));
  for (const { terminal } of [without, chosen]) expect(terminal.bytes.join('')).not.toContain(QUESTION);
  expect(without.app.context.palette).toBe(NO_COLOURS);
});

test('[TUI-83] /theme shows each theme in its own colours, and keeps the chosen one', async () => {
  const { terminal, sees, received, app } = await openTerminal({ env: colourful, size: { columns: 90, rows: 24 } });
  terminal.type('/theme\r');
  await sees(/Theme · 7\n❯ ● auto[\s\S]*Edit src\/login\.ts \+1 −1[\s\S]*see https:\/\/example\.com/);
  const from = terminal.bytes.length;
  terminal.type('daltonized');
  await sees(/Theme daltonized · 2 of 7\n❯ {3}dark-daltonized/);
  expect(terminal.bytes.slice(from).join('')).toContain(paletteOf(THEMES['dark-daltonized'] ?? null, 'all').added);
  expect(app.context.palette).toBe(SIXTEEN_COLOURS);
  terminal.type('\r');
  await sees('The theme is dark-daltonized. It is kept in settings.json of the config home.');
  expect(app.context.palette).toEqual(paletteOf(THEMES['dark-daltonized'] ?? null, 'all'));
  expect(received.map(({ request }) => request)).toContainEqual({
    ...{ subtype: 'update_settings', source: 'userSettings', settings: { theme: 'dark-daltonized' } },
  });
  terminal.type('/theme drak\r');
  await sees('there is no theme "drak"; did you mean dark?');
});

test('[TUI-83] /theme reads files of themes again, and names once what is wrong with them', async () => {
  const home = temporaryDirectory();
  const { terminal, sees, app } = await openTerminal({ env: colourful, home, size: { columns: 100, rows: 30 } });
  mkdirSync(join(home, 'themes'));
  writeFileSync(join(home, 'themes', 'sand.json'), '{"base":"light","overrides":{"accent":"#102030","added":"sand"}}');
  terminal.type('/theme sand\r');
  await sees('The theme is sand.');
  expect(app.context.palette.accent).toBe('38;2;16;32;48');
  writeFileSync(join(home, 'themes', 'sand.json'), '{"base":"light","overrides":{"accent":"#405060","added":"sand"}}');
  terminal.type('/theme\r');
  await sees(/❯ ● sand +your own/);
  expect(app.context.palette.accent).toBe('38;2;64;80;96');
  expect((await terminal.shown()).match(/overrides\.added must be a colour/g)).toHaveLength(1);
});

test('[TUI-83] a project does not choose the theme, and an unknown one is named', async () => {
  const sources = [
    { source: 'projectSettings', settings: { theme: 'light' } },
    { source: 'userSettings', settings: { theme: 'sepia', prefersReducedMotion: true } },
  ];
  const { sees, app } = await openTerminal({
    answers: { get_settings: () => ({ sources }) },
    size: { columns: 90, rows: 20 },
  });
  await sees('! Settings: there is no theme "sepia": auto, dark, light');
  expect(app.look.loaded?.theme).toBe('auto');
  expect(app.look.isCalm).toBe(true);
});

test('[TUI-83] a terminal with hardly more than ASCII gets marks that it has, each as wide', async () => {
  const fake = createFakeTerminal();
  withAsciiMarks(fake).write('❯ ● ○ ◐ ✓ ✗ ⠋ ⠹ … text');
  expect(await fake.shown()).toBe('> * o @ v x | - ~ text');
});

/** What a person without cones for green sees, by the matrix of Viénot, Brettel and Mollon. */
function withoutRedAndGreen([red, green, blue]: Rgb): Rgb {
  const shared = 0.29275 * red + 0.70725 * green;
  return [shared, shared, -0.02234 * red + 0.02234 * green + blue];
}
