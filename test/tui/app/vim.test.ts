import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { openTerminal } from './open-terminal.ts';

const ESC = '\x1b';

/** The terminal of a person with these settings. */
async function open(settings: JsonObject, env: Record<string, string> = {}) {
  const answers = {
    get_settings: () => ({ sources: [{ source: 'userSettings', settings }] }),
    update_settings: () => ({}),
  };
  const rig = await openTerminal({ size: { columns: 100, rows: 20 }, answers, env });
  const requests = (subtype: string) =>
    rig.received.flatMap(({ request }) => ((request as JsonObject)?.subtype === subtype ? [request] : []));
  return { ...rig, requests };
}

test('editorMode of the settings: the status row shows the mode and what has begun, and Enter sends', async () => {
  const { terminal, sees, received } = await open({ editorMode: 'vim', vimInsertModeRemaps: { jj: '<Esc>' } });
  await sees('-- INSERT --');
  terminal.type('one two threejj');
  await sees('-- NORMAL --');
  terminal.type('0d');
  await sees('-- NORMAL -- · d');
  terminal.type('w');
  await sees('❯ two three');
  terminal.type('v');
  await sees('-- VISUAL --');
  terminal.type('ed');
  await sees(/❯ +three/);
  terminal.type('\r');
  await vi.waitFor(() => expect(received.some(({ type }) => type === 'user')).toBe(true));
  expect(received.find(({ type }) => type === 'user')).toMatchObject({ message: { content: ' three' } });
  await sees('-- INSERT --');
});

test('what is selected is highlighted', async () => {
  const { terminal, sees } = await open({ editorMode: 'vim' }, { NO_COLOR: '' });
  await sees('-- INSERT --');
  terminal.type(`one two${ESC}`);
  await sees('-- NORMAL --');
  terminal.type('vb');
  await sees('-- VISUAL -- · 3');
  expect(terminal.bytes.join('')).toContain('one \x1b[7mtwo');
});

test('/vim turns it on and off, and keeps it in the settings of the user', async () => {
  const { terminal, sees, requests } = await open({});
  terminal.type('/vim\r');
  await sees('editorMode of your settings is "vim"');
  await sees('-- INSERT --');
  terminal.type('/vim off\r');
  await sees('editorMode of your settings is "normal"');
  await vi.waitFor(async () => expect(await sees('heddle')).not.toContain('-- INSERT --'));
  expect(requests('update_settings')).toEqual([
    { subtype: 'update_settings', source: 'userSettings', settings: { editorMode: 'vim' } },
    { subtype: 'update_settings', source: 'userSettings', settings: { editorMode: 'normal' } },
  ]);
});

test('values that are none are named', async () => {
  const { sees } = await open({ editorMode: 'ed', vimInsertModeRemaps: { k: '<Esc>' } });
  await sees('editorMode must be "vim" or "normal"');
  await sees('vimInsertModeRemaps: k: only two letters or more can be bound, and only to "<Esc>"');
});

test('a status line script gets the mode, and may show it itself', async () => {
  const answers = {
    get_settings: () => ({ sources: [{ source: 'userSettings', settings: { editorMode: 'vim' } }] }),
    status_line: (request: JsonObject) => ({
      configured: true,
      output: `mode ${request.vim_mode}`,
      hide_vim_mode: true,
    }),
  };
  const { terminal, sees } = await openTerminal({ size: { columns: 100, rows: 20 }, answers });
  await sees('mode INSERT');
  terminal.type(`x${ESC}`);
  expect(await sees('mode NORMAL')).not.toContain('--');
});
