import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/model/model.ts';
import { hang, toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { flatten } from '../../agent/support.ts';
import { type Client, createHouse, type House, lastTexts } from '../support.ts';

const U = (n: number) => `bbbbbbbb-0000-4000-8000-${String(n).padStart(12, '0')}`;

const echo = (request: ModelRequest) => {
  const [said = ''] = lastTexts(request);
  return said === 'slow' ? hang() : `re: ${said}`;
};

function lastRequest(house: House): string {
  return flatten(house.model.requests.at(-1)?.messages ?? []).join('\n');
}

function idOf(client: Client): string {
  return String(client.of('system/init')[0]?.session_id);
}

/** What became of a message that is not taken. */
async function refusal(client: Client, fields: JsonObject): Promise<JsonObject | undefined> {
  const before = client.of('system/input_error').length;
  client.say('not taken', fields);
  await client.until(() => client.of('system/input_error').length > before);
  return client.of('system/input_error').at(-1);
}

describe('[K41] a message that edits another', () => {
  test('[SES-29] hangs where that one hung, without its host knowing the tree; the old branch stays', async () => {
    const house = createHouse(echo);
    const client = house.connect();
    await client.ask('one', { uuid: U(1) });
    await client.ask('two', { uuid: U(2) });
    await client.ask('three', { uuid: U(3) });
    expect(await client.ask('two, edited', { uuid: U(4), edits: U(2) })).toMatchObject({ result: 're: two, edited' });
    expect(lastRequest(house)).toMatch(/one[\s\S]*re: one[\s\S]*two, edited/);
    expect(lastRequest(house)).not.toMatch(/re: two|three/);
    const entries = await house.entries(idOf(client));
    const parentOf = (id: string) => entries.find(({ uuid }) => uuid === id)?.parentUuid;
    expect(parentOf(U(4))).toBe(parentOf(U(2)));
    expect(entries.some(({ uuid }) => uuid === U(3))).toBe(true);
  });

  test('the first one: a new root', async () => {
    const house = createHouse(echo);
    const client = house.connect();
    await client.ask('one', { uuid: U(1) });
    await client.ask('one, edited', { uuid: U(2), edits: U(1) });
    expect(lastRequest(house)).not.toContain('re: one');
    expect((await house.entries(idOf(client))).find(({ uuid }) => uuid === U(2))).toMatchObject({ parentUuid: null });
  });

  test('one that is being answered: that turn is interrupted, and gets its result', async () => {
    const house = createHouse(echo);
    const client = house.connect();
    client.say('slow', { uuid: U(1) });
    await client.until(() => client.of('system/init').length === 1);
    expect(await client.ask('quick', { uuid: U(2), edits: U(1) })).toMatchObject({ subtype: 'error_during_execution' });
    expect(await client.result(1)).toMatchObject({ subtype: 'success', result: 're: quick' });
    expect(lastRequest(house)).not.toContain('slow');
  });

  test('one of another branch, and one of an earlier process', async () => {
    const house = createHouse(echo);
    const client = house.connect();
    await client.ask('one', { uuid: U(1) });
    await client.ask('two', { uuid: U(2) });
    await client.ask('other root', { uuid: U(3), parentUuid: null });
    await client.end();
    const next = house.connect({ resume: idOf(client) });
    await next.ask('two, edited', { uuid: U(4), edits: U(2) });
    expect(lastRequest(house)).toMatch(/re: one[\s\S]*two, edited/);
    expect(lastRequest(house)).not.toMatch(/other root|re: two/);
  });

  test('is appended in its place where it asks for no answer', async () => {
    const house = createHouse(echo);
    const client = house.connect();
    await client.ask('one', { uuid: U(1) });
    await client.ask('two', { uuid: U(2) });
    client.say('two, appended', { uuid: U(3), edits: U(2), shouldQuery: false });
    await client.ask('go on');
    expect(lastRequest(house)).toMatch(/re: one[\s\S]*two, appended[\s\S]*go on/);
    expect(lastRequest(house)).not.toContain('re: two');
  });

  test('is refused where there is nothing to edit, and nothing is sent', async () => {
    const house = createHouse(echo);
    const client = house.connect();
    await client.ask('one', { uuid: U(1) });
    const answer = String(client.of('assistant').at(-1)?.uuid);
    const asked = house.model.requests.length;
    expect(await refusal(client, { uuid: U(2), edits: U(99) })).toMatchObject({
      error_code: 'unknown_parent',
      input_uuid: U(2),
      error: expect.stringContaining(U(99)),
    });
    expect(await refusal(client, { edits: answer })).toMatchObject({ error_code: 'unknown_parent' });
    expect(await refusal(client, { edits: U(1), parentUuid: null })).toMatchObject({ error_code: 'invalid_request' });
    expect(house.model.requests).toHaveLength(asked);
  });
});

describe('restore_files', () => {
  const on: RunConfig = { fileCheckpointing: true, permissionMode: 'bypassPermissions' };

  /** The model writes what it is told to (`write TEXT`), and notes how it finds the file (`look`). */
  function opened() {
    const seen: (string | null)[] = [];
    const house = createHouse((request: ModelRequest) => {
      const [said = ''] = lastTexts(request);
      if (said.startsWith('write ')) return toolUse('Write', { file_path: 'a.txt', content: said.slice(6) });
      if (said === 'look') seen.push(content());
      return said === 'slow' ? hang() : 'done';
    });
    const path = join(house.dir, 'a.txt');
    const content = () => (existsSync(path) ? readFileSync(path, 'utf8') : null);
    return { house, path, content, seen, client: house.connect({ ...on, dangerouslySkipPermissions: true }) };
  }

  test('[CHK-04] an edited prompt runs on the files of its place, and a switch back brings those of the old branch', async () => {
    const { client, path, content, seen } = opened();
    await client.ask('write first', { uuid: U(1) });
    await client.ask('write wrong', { uuid: U(2) });
    const wrong = String(client.of('assistant').at(-1)?.uuid);
    await client.ask('look', { uuid: U(3), edits: U(2), restore_files: true });
    expect(seen).toEqual(['first']);
    expect(client.of('system/files_restored')).toMatchObject([
      { input_uuid: U(3), canRewind: true, filesChanged: [path], session_id: idOf(client) },
    ]);
    await client.control({ subtype: 'switch_leaf', leaf_uuid: wrong, restore_files: true });
    expect(content()).toBe('wrong');
  });

  test('what is restored is said before the turn begins', async () => {
    const { client } = opened();
    await client.ask('write first', { uuid: U(1) });
    await client.ask('again', { uuid: U(2), edits: U(1), restore_files: true });
    const kinds = client.lines.map(({ type, subtype, state }) => `${type}/${subtype ?? state}`);
    const at = kinds.indexOf('system/files_restored');
    expect(kinds.slice(at)).toEqual([
      'system/files_restored',
      'command_lifecycle/started',
      'system/init',
      'assistant/undefined',
      'result/success',
      'command_lifecycle/completed',
    ]);
  });

  test('the first prompt, and one whose turn was cut short before it had changed anything', async () => {
    const { client, content } = opened();
    await client.ask('write first', { uuid: U(1) });
    client.say('slow', { uuid: U(2) });
    await client.until(() => client.of('system/init').length === 2);
    await client.ask('hello', { uuid: U(3), edits: U(2), restore_files: true });
    await client.result(2);
    expect(content()).toBe('first');
    await client.ask('hello', { uuid: U(4), edits: U(1), restore_files: true });
    expect(content()).toBe(null);
  });

  test('with parentUuid: the files as that place of the conversation left them; null is the beginning', async () => {
    const { client, content } = opened();
    await client.ask('write first', { uuid: U(1) });
    const first = String(client.of('assistant').at(-1)?.uuid);
    await client.ask('write second', { uuid: U(2) });
    await client.ask('hello', { uuid: U(3), parentUuid: first, restore_files: true });
    expect(content()).toBe('first');
    await client.ask('hello', { uuid: U(4), parentUuid: null, restore_files: true });
    expect(content()).toBe(null);
  });

  test('with the uuid of a result as parentUuid: the place at which it was said', async () => {
    const { client, content } = opened();
    const { uuid } = await client.ask('write first');
    await client.ask('write second');
    await client.ask('hello', { parentUuid: uuid, restore_files: true });
    expect(content()).toBe('first');
  });

  test('[CHK-05] is refused where it cannot be done, before anything has changed', async () => {
    const { client, house, content } = opened();
    await client.ask('write first', { uuid: U(1) });
    expect(await refusal(client, { restore_files: true })).toMatchObject({
      error_code: 'invalid_request',
      error: expect.stringMatching(/restore_files needs edits or parentUuid/),
    });
    expect(content()).toBe('first');
    const without = house.connect();
    await without.ask('hello', { uuid: U(2) });
    expect(await refusal(without, { uuid: U(3), edits: U(2), restore_files: true })).toMatchObject({
      error_code: 'not_enabled',
      input_uuid: U(3),
    });
    await without.end();
    // Checkpoints are on now, and were not when that prompt was sent.
    const later = house.connect({ ...on, dangerouslySkipPermissions: true, resume: idOf(without) });
    expect(await refusal(later, { edits: U(2), restore_files: true })).toMatchObject({ error_code: 'no_checkpoint' });
  });

  test('[QM-02] rewind_files tells of a prompt of another branch, where it is asked to', async () => {
    const { client, path } = opened();
    await client.ask('hello');
    const root = String(client.of('assistant').at(-1)?.uuid);
    await client.ask('write first', { uuid: U(1) });
    await client.ask('hello', { uuid: U(2), parentUuid: root });
    const dry = { subtype: 'rewind_files', user_message_id: U(1), dry_run: true };
    expect(await client.control(dry)).toMatchObject({ subtype: 'error', error_code: 'no_checkpoint' });
    expect((await client.control({ ...dry, any_branch: true })).response).toMatchObject({
      canRewind: true,
      filesChanged: [path],
    });
  });
});
