import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import { makePlace, type Place } from '../support/place.ts';
import { hasTmux, openPane, type Pane } from '../support/tmux-pane.ts';

if (!hasTmux) console.warn('tmux is not installed: the terminal is not tried end to end');
const inTmux = test.skipIf(!hasTmux);

const PATIENCE = { timeout: 20_000, interval: 100 };
const EDITED = ['Write', { file_path: 'a.txt', content: 'one\n' }] as const;

function use(place: Place, settings: object): void {
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify(settings));
}

/** All that the terminal was sent. */
const bytesOf = (place: Place) => readFileSync(join(place.root, 'bytes'), 'utf8');

inTmux(
  '[TUI-81] the title of the window tells what the session does, and the earlier one is back at the end',
  async () => {
    const place = await makePlace([toolUse(...EDITED), 'Done.']);
    const pane = openPane(place, '');
    const before = pane.title();
    await vi.waitFor(() => expect(pane.title()).toBe('✳ work'), PATIENCE);
    pane.keys('go', 'Enter');
    await vi.waitFor(() => expect(pane.title()).toBe('? work'), PATIENCE);
    await pane.sees('1 Yes, this once');
    await answer(pane, '1');
    await vi.waitFor(() => expect(pane.title()).toBe('✳ work'), PATIENCE);
    pane.keys('C-z');
    await vi.waitFor(() => expect(pane.title()).toBe(before), PATIENCE);
    pane.keys('fg', 'Enter');
    await vi.waitFor(() => expect(pane.title()).toBe('✳ work'), PATIENCE);
    pane.keys('C-d', 'C-d');
    await pane.isOver();
    expect(pane.title()).toBe(before);
  },
);

inTmux('[TUI-81] after SIGKILL the earlier title is back', async () => {
  const place = await makePlace([]);
  const pane = openPane(place, '');
  const before = pane.title();
  await vi.waitFor(() => expect(pane.title()).toBe('✳ work'), PATIENCE);
  await pane.sees('? for keys');
  process.kill(pane.pid(), 'SIGKILL');
  await pane.isRestored();
  expect(pane.title()).toBe(before);
});

inTmux('[TUI-82] a question that nobody sees rings the bell; where notifications are off it does not', async () => {
  for (const channel of ['auto', 'notifications_disabled']) {
    const place = await makePlace([toolUse(...EDITED), 'Done.']);
    use(place, { preferredNotifChannel: channel, terminal: { title: false } });
    const pane = openPane(place, '"go"');
    await pane.sees('1 Yes, this once');
    const rings = () => [...bytesOf(place)].filter((each) => each === '\x07').length - questions(place);
    if (channel === 'auto') await vi.waitFor(() => expect(rings()).toBe(1), PATIENCE);
    else expect(rings()).toBe(0);
    await answer(pane, '3');
    pane.keys('C-d', 'C-d');
    await pane.isOver();
  }
});

/** A question ignores keys at first, so that the key is sent until it is taken. */
const answer = (pane: Pane, key: string) =>
  vi.waitFor(() => {
    if (pane.shown().includes('esc: no')) pane.keys(key);
    expect(pane.shown()).toContain('Done.');
  }, PATIENCE);

/** Questions to the terminal about its background, which end with a bell that does not ring. */
const questions = (place: Place) => bytesOf(place).split('\x1b]11;?\x07').length - 1;

inTmux('[TUI-83] the theme of the settings colours what is written; NO_COLOR writes no colour at all', async () => {
  const place = await makePlace(['Some `code` here.']);
  use(place, { theme: 'light-daltonized' });
  const pane = openPane(place, '"go"', { env: { COLORTERM: 'truecolor' } });
  await pane.sees('Some code here.');
  expect(bytesOf(place)).toContain('\x1b[38;2;11;100;112mcode');
  pane.keys('/theme', 'Enter');
  await pane.sees(/Theme · 7[\s\S]*light-daltonized +light, without red and green[\s\S]*Edit src\/login\.ts \+1/);
  pane.keys('dark-ansi', 'Enter');
  await pane.sees('The theme is dark-ansi. It is kept in settings.json of the config home.');
  expect(JSON.parse(readFileSync(join(place.home, 'settings.json'), 'utf8'))).toEqual({ theme: 'dark-ansi' });
  pane.keys('/config theme=light', 'Enter');
  await pane.sees('theme is "light" in settings.json of the config home.');
  pane.keys('/config', 'Enter');
  await pane.sees(/theme {2}"light" {2}user {2}\S*settings\.json/);
  pane.keys('/config statusLine.command=x', 'Enter');
  await pane.sees(/In a shell, heddle config set\s+statusLine\.command/);
  expect(JSON.parse(readFileSync(join(place.home, 'settings.json'), 'utf8'))).toEqual({ theme: 'light' });
  pane.keys('C-d', 'C-d');
  await pane.isOver();

  const other = await makePlace(['Some `code` here.']);
  use(other, { theme: 'dark' });
  const plain = openPane(other, '"go"', { env: { COLORTERM: 'truecolor', NO_COLOR: '1' } });
  await plain.sees('Some code here.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
  expect(bytesOf(other).split('heddle ').slice(1).join('')).not.toMatch(/\x1b\[[0-9;]+m/);
  plain.keys('C-d', 'C-d');
  await plain.isOver();
});

inTmux('a model without a price is said before a budget relies on it, and /cost says so', async () => {
  const place = await makePlace(['Done.']);
  const pane = openPane(place, '--model priceless --max-budget-usd 1');
  await pane.sees(/--max-budget-usd cannot stop it: No price is known for the model priceless/);
  await pane.sees('modelPricing');
  expect(place.api.requests).toEqual([]);
  pane.keys('go', 'Enter');
  await pane.sees('Done.');
  pane.keys('/cost', 'Enter');
  await pane.sees(/priceless: .*\s+.*no price is known/);
  expect(pane.shown().split('No price is known')).toHaveLength(2);
  pane.keys('C-d', 'C-d');
  await pane.isOver();
});
