import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDraftFile, pruneDrafts, readDraft } from '../../../src/tui/drafts/draft-file.ts';
import { draftOf, EMPTY_EDITOR, edit, promptOf } from '../../../src/tui/editor/editor.ts';
import { temporaryDirectory } from './support.ts';

const left = (text: string, queued: string[] = []) => ({ draft: { text, attachments: [] }, queued });

function opened(home = temporaryDirectory()) {
  const problems: unknown[] = [];
  const file = openDraftFile({ home, sessionId: 'one', onProblem: (error) => problems.push(error) });
  return { home, file, problems, path: join(home, 'drafts/one.json') };
}

describe('a draft on disk', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is there half a second after a key, also for someone who types on', async () => {
    const { home, file } = opened();
    file.save(left('a'));
    vi.advanceTimersByTime(400);
    file.save(left('ab'));
    vi.advanceTimersByTime(100);
    await file.flush();
    expect(readDraft(home, 'one')).toEqual(left('ab'));
  });

  test('only the user can read it, and no other file stays', async () => {
    const { home, file, path } = opened();
    file.save(left('secret'));
    await file.flush();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'drafts')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(home, 'drafts'))).toEqual(['one.json']);
  });

  test('is gone when it was sent', async () => {
    const { file, path } = opened();
    file.save(left('a'));
    await file.flush();
    file.save(left(''));
    await file.flush();
    expect(existsSync(path)).toBe(false);
  });

  test('keeps pastes, images and the queue', async () => {
    const { home, file } = opened();
    let state = edit(EMPTY_EDITOR, { type: 'paste', text: 'x'.repeat(3000) });
    state = edit(state, { type: 'attach', image: { mediaType: 'image/png', data: 'aGk=', size: '2×2' } });
    file.save({ draft: draftOf(state), queued: ['later'] });
    await file.flush();
    const found = readDraft(home, 'one');
    const back = edit(EMPTY_EDITOR, { type: 'set', text: '', ...found?.draft });
    expect(promptOf(back)).toEqual(promptOf(state));
    expect(found?.queued).toEqual(['later']);
  });

  test('a problem is told once, and nothing is thrown', async () => {
    const home = join(temporaryDirectory(), 'file');
    writeFileSync(home, '');
    const { file, problems } = opened(home);
    for (const text of ['a', 'b']) {
      file.save(left(text));
      await file.flush();
    }
    expect(problems).toHaveLength(1);
  });
});

test.each(['', '{', '5', '{"display":5}', '{"display":"x","pastedContents":[],"images":{},"queued":5}'])(
  'a file that says %j does no harm',
  (text) => {
    const home = temporaryDirectory();
    mkdirSync(join(home, 'drafts'));
    writeFileSync(join(home, 'drafts/one.json'), text);
    expect(readDraft(home, 'one')?.draft.text ?? null).toBe(text.includes('"x"') ? 'x' : null);
  },
);

test('the newest hundred stay, and no name of a session leaves the folder', async () => {
  const home = temporaryDirectory();
  mkdirSync(join(home, 'drafts'));
  for (let at = 0; at < 120; at++) writeFileSync(join(home, `drafts/${at}.json`), '{}');
  pruneDrafts(home);
  expect(readdirSync(join(home, 'drafts'))).toHaveLength(100);
  const file = openDraftFile({ home, sessionId: '../../x', onProblem: () => {} });
  file.save(left('a'));
  await file.flush();
  expect(readdirSync(join(home, 'drafts'))).toHaveLength(101);
});

test('survives kill -9 of the process that typed it', async () => {
  const home = temporaryDirectory();
  const entry = fileURLToPath(new URL('../../../src/tui/drafts/draft-file.ts', import.meta.url));
  const outfile = join(home, 'draft-file.mjs');
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  const program = `
    const { openDraftFile } = await import(${JSON.stringify(outfile)});
    const file = openDraftFile({ home: ${JSON.stringify(home)}, sessionId: 'one', onProblem: () => {} });
    let text = '';
    setInterval(() => { text += 'x'; file.save({ draft: { text, attachments: [] }, queued: [] }); }, 5);
    file.flush().then(() => process.stdout.write('up'));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  await once(child.stdout, 'data');
  await vi.waitUntil(() => (readDraft(home, 'one')?.draft.text.length ?? 0) > 50, { timeout: 20_000, interval: 20 });
  const before = readDraft(home, 'one')?.draft.text.length ?? 0;
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(readDraft(home, 'one')?.draft.text).toMatch(/^x+$/);
  expect(readDraft(home, 'one')?.draft.text.length).toBeGreaterThanOrEqual(before);
  expect(readFileSync(join(home, 'drafts/one.json'), 'utf8')).toContain('display');
});
