import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { CallPreview } from '../../../src/wire/control/interface-answers.ts';
import { createHouse, type House } from '../support.ts';

/** The questions about these calls, in the order in which the model makes them. */
async function questions(
  house: (script: Parameters<typeof createHouse>[0]) => House,
  calls: [string, JsonObject][],
  behavior: 'allow' | 'deny' = 'deny',
): Promise<{ previews: (CallPreview | undefined)[]; house: House }> {
  const made = house((_request, at) => {
    const call = calls[at];
    return call ? toolUse(...call) : 'done';
  });
  const previews: (CallPreview | undefined)[] = [];
  const answer = (request: JsonObject) => {
    if (request.subtype !== 'can_use_tool') return {};
    previews.push(request.preview === undefined ? undefined : CallPreview.parse(request.preview));
    return behavior === 'allow' ? { behavior, updatedInput: request.input } : { behavior, message: 'no' };
  };
  const client = made.connect({ permissionPromptTool: 'stdio' }, { answer });
  await client.control({ subtype: 'initialize', permissionPreviews: true });
  await client.ask('go');
  return { previews, house: made };
}

const withFile = (script: Parameters<typeof createHouse>[0]) => {
  const house = createHouse(script);
  house.file('a.txt', 'one\ntwo\nthree\n');
  return house;
};
const read: [string, JsonObject] = ['Read', { file_path: 'a.txt' }];

test('a question about Edit shows the change of the file, and changes nothing', async () => {
  const edit: [string, JsonObject] = ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'zwei\ndrei' }];
  const { previews, house } = await questions(withFile, [read, edit]);
  const [hunk] = previews[0]?.hunks ?? [];
  expect(previews).toMatchObject([
    { kind: 'patch', file: join(house.dir, 'a.txt'), added: 2, removed: 1, is_new: false },
  ]);
  expect(previews[0]).not.toHaveProperty('truncated');
  expect(hunk?.lines).toEqual([' one', '-two', '+zwei', '+drei', ' three']);
  expect(readFileSync(join(house.dir, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
});

test('a question about Write shows a new file whole, and the change of an existing one', async () => {
  const calls: [string, JsonObject][] = [
    read,
    ['Write', { file_path: 'new.txt', content: 'x\ny\n' }],
    ['Write', { file_path: 'a.txt', content: 'one\nthree\n' }],
  ];
  const { previews, house } = await questions(withFile, calls);
  expect(previews).toMatchObject([
    { kind: 'file', is_new: true, content: 'x\ny\n', added: 2 },
    { kind: 'patch', is_new: false, added: 0, removed: 1 },
  ]);
  expect(existsSync(join(house.dir, 'new.txt'))).toBe(false);
});

test('what was shown is what is written, and the call runs as if there had been no preview', async () => {
  const calls: [string, JsonObject][] = [
    read,
    ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: '2' }],
    ['Edit', { file_path: 'a.txt', old_string: '2', new_string: '22' }],
  ];
  const { previews, house } = await questions(withFile, calls, 'allow');
  expect(previews.map((preview) => preview?.hunks?.[0]?.lines)).toEqual([
    [' one', '-two', '+2', ' three'],
    [' one', '-2', '+22', ' three'],
  ]);
  expect(readFileSync(join(house.dir, 'a.txt'), 'utf8')).toBe('one\n22\nthree\n');
});

test('a cell of a notebook has a preview as well', async () => {
  const cell = { cell_type: 'code', source: ['x = 1'], metadata: {}, outputs: [], execution_count: null, id: 'c1' };
  const notebook = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 };
  const house = (script: Parameters<typeof createHouse>[0]) => {
    const made = createHouse(script);
    made.file('n.ipynb', JSON.stringify(notebook, null, 1));
    return made;
  };
  const calls: [string, JsonObject][] = [
    ['Read', { file_path: 'n.ipynb' }],
    ['NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'c1', new_source: 'x = 2' }],
  ];
  const { previews } = await questions(house, calls);
  expect(previews).toMatchObject([{ kind: 'patch', file: expect.stringContaining('n.ipynb') }]);
  expect(JSON.stringify(previews)).toContain('x = 2');
});

test('no preview for other tools, for calls that would be refused, and for hosts that did not ask', async () => {
  const calls: [string, JsonObject][] = [
    ['Bash', { command: 'touch x' }],
    ['Edit', { file_path: 'a.txt', old_string: 'nowhere', new_string: 'x' }],
  ];
  expect((await questions(withFile, calls)).previews).toEqual([undefined, undefined]);
  const seen: JsonObject[] = [];
  const house = createHouse((_request, at) => (at === 0 ? toolUse('Write', { file_path: 'n', content: 'x' }) : 'done'));
  const answer = (request: JsonObject) => {
    if (request.subtype === 'can_use_tool') seen.push(request);
    return { behavior: 'deny', message: 'no' };
  };
  await house.connect({ permissionPromptTool: 'stdio' }, { answer }).ask('go');
  expect(seen).toHaveLength(1);
  expect(seen[0]).not.toHaveProperty('preview');
});

test('a change that is too large to show is said to be cut', async () => {
  const call: [string, JsonObject] = ['Write', { file_path: 'big.txt', content: 'line\n'.repeat(100_000) }];
  const { previews } = await questions(createHouse, [call]);
  expect(previews).toMatchObject([{ kind: 'file', truncated: true, added: 100_000 }]);
  expect(JSON.stringify(previews).length).toBeLessThan(500_000);
});
