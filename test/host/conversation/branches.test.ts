import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ApiMessage, ModelRequest } from '../../../src/model/model.ts';
import { hang, toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { faultsOf, flatten } from '../../agent/support.ts';
import { type Client, createHouse, type House, lastTexts } from '../support.ts';

const U = (n: number) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}`;

const echo = (request: ModelRequest) => `re: ${lastTexts(request)[0]}`;

function idOf(client: Client): string {
  return String(client.of('system/init')[0]?.session_id);
}

function textsOf(messages: readonly ApiMessage[] | undefined): string {
  return flatten(messages ?? []).join('\n');
}

function lastRequest(house: House): string {
  return textsOf(house.model.requests.at(-1)?.messages);
}

/** The uuid of the last answer. */
function answer(client: Client): string {
  return String(client.of('assistant').at(-1)?.uuid);
}

async function branches(client: Client): Promise<JsonObject[]> {
  const { response } = await client.control({ subtype: 'branches' });
  return (response as { branches: JsonObject[] }).branches;
}

/** Two exchanges: `one` and `two`. */
async function twoTurns(house: House, config: RunConfig = {}) {
  const client = house.connect(config);
  await client.ask('one', { uuid: U(1) });
  const first = answer(client);
  await client.ask('two', { uuid: U(2) });
  return { client, first, second: answer(client) };
}

describe('[K41] a message with parentUuid', () => {
  test('[SES-29, INP-06, SES-42] is a sibling of what it replaces, in the running process; the old branch stays', async () => {
    const house = createHouse(echo);
    const { client, first, second } = await twoTurns(house);
    expect(await client.ask('two, edited', { uuid: U(3), parentUuid: first })).toMatchObject({
      result: 're: two, edited',
      user_message_uuids: [U(3)],
    });
    expect(lastRequest(house)).toMatch(/one[\s\S]*re: one[\s\S]*two, edited/);
    expect(lastRequest(house)).not.toContain('re: two');
    const entries = await house.entries(idOf(client));
    expect(entries.find(({ uuid }) => uuid === U(3))).toMatchObject({ parentUuid: first });
    expect(entries.find(({ uuid }) => uuid === U(2))).toMatchObject({ parentUuid: first });
    expect(entries.some(({ uuid }) => uuid === second)).toBe(true);
    expect(entries.findLast(({ type }) => type === 'last-prompt')).toMatchObject({ leafUuid: answer(client) });
  });

  test('[SES-31, S-17] what follows, and a resume, go on from the new branch', async () => {
    const house = createHouse(echo);
    const { client, first } = await twoTurns(house);
    await client.ask('two, edited', { parentUuid: first });
    await client.ask('three');
    expect(lastRequest(house)).toMatch(/one[\s\S]*two, edited[\s\S]*three/);
    await client.end();
    await house.connect({ resume: idOf(client) }).ask('four');
    expect(lastRequest(house)).toMatch(/one[\s\S]*two, edited[\s\S]*three[\s\S]*four/);
    expect(lastRequest(house)).not.toContain('re: two"');
  });

  test('null begins a new root: an edit of the first message', async () => {
    const house = createHouse(echo);
    const { client } = await twoTurns(house);
    await client.ask('one, edited', { uuid: U(3), parentUuid: null });
    expect(lastRequest(house)).not.toContain('"one"');
    expect(lastRequest(house)).toContain('one, edited');
    const entries = await house.entries(idOf(client));
    expect(entries.find(({ uuid }) => uuid === U(3))).toMatchObject({ parentUuid: null });
  });

  test('[SES-30, INP-07] may be a user message, too, and parent_uuid is the same', async () => {
    const house = createHouse(echo);
    const { client } = await twoTurns(house);
    await client.ask('beside the first answer', { parent_uuid: U(1) });
    expect(lastRequest(house)).toMatch(/one[\s\S]*beside the first answer/);
    expect(lastRequest(house)).not.toContain('re: one');
    expect(faultsOf(house.model.requests.at(-1)?.messages)).toEqual([]);
  });

  test('an unknown one is an error line, and nothing is sent', async () => {
    const house = createHouse(echo);
    const { client } = await twoTurns(house);
    const asked = house.model.requests.length;
    client.say('lost', { uuid: U(3), parentUuid: U(99) });
    await client.until(() => client.of('system/input_error').length > 0);
    expect(client.of('system/input_error')).toMatchObject([
      { error_code: 'unknown_parent', input_uuid: U(3), error: expect.stringContaining(U(99)) },
    ]);
    expect(await client.ask('three')).toMatchObject({ result: 're: three' });
    expect(house.model.requests).toHaveLength(asked + 1);
    expect(lastRequest(house)).toMatch(/re: two[\s\S]*three/);
    expect(lastRequest(house)).not.toContain('lost');
  });

  test('the leaf itself is no branch', async () => {
    const house = createHouse(echo);
    const { client, second } = await twoTurns(house);
    await client.ask('three', { parentUuid: second });
    expect(await branches(client)).toHaveLength(1);
  });

  test('in the middle of a turn: that is interrupted, and gets its result', async () => {
    const house = createHouse((request: ModelRequest) =>
      lastTexts(request)[0] === 'slow' ? hang() : `re: ${lastTexts(request)[0]}`,
    );
    const client = house.connect();
    await client.ask('one', { uuid: U(1) });
    const first = answer(client);
    client.say('slow', { uuid: U(2) });
    await client.until(() => client.of('system/init').length === 2);
    const result = await client.ask('instead', { uuid: U(3), parentUuid: first });
    expect(result).toMatchObject({ subtype: 'error_during_execution' });
    expect(await client.result(2)).toMatchObject({ subtype: 'success', result: 're: instead' });
    expect(lastRequest(house)).not.toContain('slow');
  });

  test('every line that was said can be named: the result, the init line', async () => {
    const house = createHouse(echo);
    const client = house.connect();
    const { uuid } = await client.ask('one');
    await client.ask('two');
    await client.ask('after the first result', { parentUuid: uuid });
    expect(lastRequest(house)).toMatch(/re: one[\s\S]*after the first result/);
    expect(lastRequest(house)).not.toContain('two');
  });

  test('without persistence, and behind a past that is only read', async () => {
    const house = createHouse(echo);
    const { client, first } = await twoTurns(house);
    await client.end();
    const other = house.connect({ resume: idOf(client), noSessionPersistence: true });
    await other.ask('three', { uuid: U(3) });
    await other.ask('from the past', { parentUuid: first });
    expect(lastRequest(house)).toMatch(/re: one[\s\S]*from the past/);
    expect(lastRequest(house)).not.toContain('two');
    await other.ask('from what is not kept', { parentUuid: U(3) });
    expect(lastRequest(house)).toMatch(/re: two[\s\S]*three[\s\S]*from what is not kept/);
    expect((await house.entries(idOf(client))).some(({ uuid }) => uuid === U(3))).toBe(false);
  });

  test('after tool calls, wherever it cuts them: every request is valid', async () => {
    const house = createHouse((request: ModelRequest) => {
      const [said] = lastTexts(request);
      return said === 'tools' ? [toolUse('Glob', { pattern: 'a' }), toolUse('Glob', { pattern: 'b' })] : `re: ${said}`;
    });
    const client = house.connect();
    await client.ask('tools');
    const uuids = (await house.entries(idOf(client))).flatMap(({ uuid }) => (typeof uuid === 'string' ? [uuid] : []));
    expect(uuids.length).toBeGreaterThan(5);
    for (const parentUuid of uuids) {
      await client.ask(`from ${parentUuid}`, { parentUuid });
      expect(faultsOf(house.model.requests.at(-1)?.messages)).toEqual([]);
    }
    expect((await branches(client)).length).toBeGreaterThan(uuids.length - 2);
  });

  test('the facts of the place are told again where they were not said yet, and the todo list is that of the branch', async () => {
    const todos = [{ content: 'later', status: 'pending', activeForm: 'doing it later' }];
    const house = createHouse((request: ModelRequest) =>
      lastTexts(request)[0] === 'plan' ? toolUse('TodoWrite', { todos }) : `re: ${lastTexts(request)[0]}`,
    );
    const client = house.connect();
    await client.ask('one', { uuid: U(1) });
    const first = answer(client);
    await client.ask('plan');
    await client.ask('on', { parentUuid: first });
    expect(lastRequest(house).match(/Working directory|working directory/gi)).toHaveLength(1);
    await client.ask('anew', { parentUuid: null });
    expect(lastRequest(house).match(/Working directory|working directory/gi)).toHaveLength(1);
  });
});

describe('the tree of a running session', () => {
  test('[SES-02, SES-12] session_tree: every entry with its parent, the leaves, and where it goes on', async () => {
    const house = createHouse(echo);
    const { client, first, second } = await twoTurns(house);
    await client.ask('two, edited', { uuid: U(3), parentUuid: first });
    const { response } = await client.control({ subtype: 'session_tree' });
    const tree = response as { leaf_uuid: string; leaves: string[]; nodes: JsonObject[] };
    expect(tree.leaf_uuid).toBe(answer(client));
    expect(tree.leaves).toEqual([second, answer(client)]);
    expect(tree.nodes.find(({ uuid }) => uuid === U(3))).toMatchObject({
      parent_uuid: first,
      type: 'user',
      preview: 'two, edited',
    });
    const page = await client.control({ subtype: 'session_tree', offset: 1, limit: 2 });
    expect(page.response).toMatchObject({ total: tree.nodes.length, nodes: tree.nodes.slice(1, 3) });
    expect(await client.control({ subtype: 'session_tree', limit: -1 })).toMatchObject({ subtype: 'error' });
  });

  test('[SES-40] branches: one per leaf, the active one marked', async () => {
    const house = createHouse(echo);
    const { client, first, second } = await twoTurns(house);
    await client.ask('two, edited', { parentUuid: first });
    expect(await branches(client)).toMatchObject([
      { leaf_uuid: second, active: false, turns: 2, length: 4, preview: 'two' },
      { leaf_uuid: answer(client), active: true, turns: 2, length: 4, preview: 'two, edited' },
    ]);
  });

  test('[SES-37] a summary belongs to the branch whose leaf it names', async () => {
    const house = createHouse(echo);
    const { client, first, second } = await twoTurns(house);
    await client.ask('two, edited', { parentUuid: first });
    const sessionId = idOf(client);
    await house.store.append({ project: house.dir, sessionId }, [
      { type: 'summary', summary: 'The old way', leafUuid: second },
      { type: 'summary', summary: 'The new way', leafUuid: answer(client) },
    ]);
    expect((await branches(client)).map(({ summary }) => summary)).toEqual(['The old way', 'The new way']);
  });

  test('[SES-41, K21] switch_leaf: the next turn goes on there; the choice is recorded and outlives the process', async () => {
    const house = createHouse(echo);
    const { client, first, second } = await twoTurns(house);
    await client.ask('two, edited', { parentUuid: first });
    expect(await client.control({ subtype: 'switch_leaf', leaf_uuid: second })).toMatchObject({
      subtype: 'success',
      response: { leaf_uuid: second },
    });
    await client.end();
    const next = house.connect({ resume: idOf(client) });
    await next.ask('three');
    expect(lastRequest(house)).toMatch(/re: two[\s\S]*three/);
    expect(lastRequest(house)).not.toContain('edited');
    expect(next.of('system/resume_report')).toEqual([]);
  });

  test('switch_leaf: a dry run changes nothing; an unknown leaf and a running turn are errors', async () => {
    const house = createHouse((request: ModelRequest) =>
      lastTexts(request)[0] === 'slow' ? hang() : `re: ${lastTexts(request)[0]}`,
    );
    const { client, first } = await twoTurns(house);
    await client.control({ subtype: 'switch_leaf', leaf_uuid: first, dry_run: true });
    await client.ask('three');
    expect(lastRequest(house)).toMatch(/re: two[\s\S]*three/);
    expect(await client.control({ subtype: 'switch_leaf', leaf_uuid: U(99) })).toMatchObject({ subtype: 'error' });
    expect(await client.control({ subtype: 'switch_leaf' })).toMatchObject({ subtype: 'error' });
    client.say('slow');
    await client.until(() => client.of('system/init').length === 4);
    expect(await client.control({ subtype: 'switch_leaf', leaf_uuid: first })).toMatchObject({
      subtype: 'error',
      error: expect.stringContaining('turn is running'),
    });
  });

  test('[K30] fork_session: a session of its own with the same uuids; this one goes on', async () => {
    const house = createHouse(echo);
    const { client, first } = await twoTurns(house);
    const { response } = await client.control({ subtype: 'fork_session', at_uuid: first, title: 'A fork' });
    const { session_id } = response as { session_id: string };
    expect(session_id).not.toBe(idOf(client));
    const copies = await house.entries(session_id);
    expect(copies.map(({ sessionId }) => sessionId)).toEqual(copies.map(() => session_id));
    expect(copies.map(({ uuid }) => uuid)).toContain(first);
    expect(copies.at(-1)).toMatchObject({ type: 'custom-title', customTitle: 'A fork' });
    await client.ask('three');
    expect(lastRequest(house)).toContain('re: two');
    await house.connect({ resume: session_id }).ask('in the fork');
    expect(lastRequest(house)).toMatch(/re: one[\s\S]*in the fork/);
    expect(lastRequest(house)).not.toContain('two');
    expect(await client.control({ subtype: 'fork_session', at_uuid: U(99) })).toMatchObject({ subtype: 'error' });
  });

  test('rename_session and --name are titles in the file; the last one wins', async () => {
    const house = createHouse(echo);
    const client = house.connect({ name: 'First' });
    await client.ask('one');
    await client.ask('two');
    expect(await client.control({ subtype: 'rename_session', title: 'Second' })).toMatchObject({ subtype: 'success' });
    expect(await client.control({ subtype: 'rename_session', title: ' ' })).toMatchObject({ subtype: 'error' });
    const titles = (await house.entries(idOf(client))).filter(({ type }) => type === 'custom-title');
    expect(titles.map(({ customTitle }) => customTitle)).toEqual(['First', 'Second']);
  });
});

describe('files follow the branch', () => {
  const write = (content: string) => toolUse('Write', { file_path: 'a.txt', content });

  test('[CHK-04] switch_leaf restores the files of the branch; a dry run says what it would do', async () => {
    const house = createHouse((request: ModelRequest) => {
      const [said = ''] = lastTexts(request);
      return said.startsWith('write ') ? write(said.slice(6)) : 'done';
    });
    const config = { fileCheckpointing: true, permissionMode: 'bypassPermissions' };
    const client = house.connect({ ...config, dangerouslySkipPermissions: true });
    const path = join(house.dir, 'a.txt');
    const content = () => readFileSync(path, 'utf8');
    await client.ask('hello');
    const root = answer(client);
    await client.ask('write old');
    const old = answer(client);
    await client.ask('write new', { parentUuid: root });
    const fresh = answer(client);
    expect(content()).toBe('new');
    const dry = { subtype: 'switch_leaf', leaf_uuid: old, restore_files: true, dry_run: true };
    expect((await client.control(dry)).response).toMatchObject({ files: { canRewind: true, filesChanged: [path] } });
    expect(content()).toBe('new');
    await client.control({ subtype: 'switch_leaf', leaf_uuid: old, restore_files: true });
    expect(content()).toBe('old');
    await client.ask('go on');
    await client.control({ subtype: 'switch_leaf', leaf_uuid: fresh, restore_files: true });
    expect(content()).toBe('new');
    await client.control({ subtype: 'switch_leaf', leaf_uuid: root, restore_files: true });
    expect(existsSync(path)).toBe(false);
  });

  test('[CHK-05] without checkpoints that is an error, and the branch stays', async () => {
    const house = createHouse(echo);
    const { client, first } = await twoTurns(house);
    const request = { subtype: 'switch_leaf', leaf_uuid: first, restore_files: true };
    expect(await client.control(request)).toMatchObject({ subtype: 'error' });
    await client.ask('three');
    expect(lastRequest(house)).toContain('re: two');
  });
});
