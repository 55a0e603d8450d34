import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendHistory, readHistory } from '../../../src/tui/drafts/history-file.ts';
import { draftOf, EMPTY_EDITOR, edit, promptOf } from '../../../src/tui/editor/editor.ts';
import { temporaryDirectory } from './support.ts';

const origin = (home: string) => ({ home, project: '/project', sessionId: 'one', now: 1000 });
const draft = (text: string) => ({ text, attachments: [] });

test('a prompt is in history when the call returns, in the shape of the reference, and only the user can read it', async () => {
  const home = join(temporaryDirectory(), 'home');
  appendHistory(draft('fix it'), origin(home));
  const file = join(home, 'history.jsonl');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    display: 'fix it',
    pastedContents: {},
    timestamp: 1000,
    project: '/project',
    sessionId: 'one',
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await readHistory(home)).toEqual([{ text: 'fix it', attachments: [], project: '/project', sessionId: 'one' }]);
});

test('pastes come back whole, short and long ones', async () => {
  const home = temporaryDirectory();
  const short = 'a\n'.repeat(4);
  const long = 'x'.repeat(5000);
  let state = edit(EMPTY_EDITOR, { type: 'paste', text: short });
  state = edit(edit(state, { type: 'type', text: ' and ' }), { type: 'paste', text: long });
  appendHistory(draftOf(state), origin(home));
  expect(readFileSync(join(home, 'history.jsonl'), 'utf8')).not.toContain(long);
  const [found] = await readHistory(home);
  const back = edit(EMPTY_EDITOR, { type: 'set', text: found?.text ?? '', attachments: found?.attachments ?? [] });
  expect(promptOf(back).text).toBe(`${short} and ${long}`);
});

test('torn, foreign and empty lines cost only themselves', async () => {
  const home = temporaryDirectory();
  const file = join(home, 'history.jsonl');
  writeFileSync(file, '{"display":"whole"}\nnot json\n{"display":5}\n[]\n{"display":"to');
  appendHistory(draft('next'), origin(home));
  appendFileSync(file, '\n\n');
  expect((await readHistory(home)).map(({ text }) => text)).toEqual(['whole', 'next']);
});

test('a long file is read from its end', async () => {
  const home = temporaryDirectory();
  const lines = Array.from({ length: 60_000 }, (_, at) =>
    JSON.stringify({ display: `prompt ${at} ${'x'.repeat(60)}` }),
  );
  writeFileSync(join(home, 'history.jsonl'), `${lines.join('\n')}\n`);
  const found = await readHistory(home);
  expect(found.at(-1)?.text).toMatch(/^prompt 59999 /);
  expect(found.length).toBeLessThan(60_000);
});

test('there may be no history, and a label without its paste is text', async () => {
  const home = temporaryDirectory();
  expect(await readHistory(home)).toEqual([]);
  writeFileSync(
    join(home, 'history.jsonl'),
    '{"display":"see [Pasted text #1 +9 lines]","pastedContents":{"1":{"id":1,"type":"text","contentHash":"../../x"}}}\n',
  );
  expect((await readHistory(home))[0]?.text).toBe('see [Pasted text #1 +9 lines]');
});
