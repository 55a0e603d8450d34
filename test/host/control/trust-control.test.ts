import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { isObject, type JsonObject } from '../../../src/util/json.ts';
import { readHostResponse } from '../../../src/wire/control/index.ts';
import { type Client, createHouse, type House } from '../support.ts';

function settings(house: House, values: JsonObject): void {
  mkdirSync(join(house.dir, '.claude'), { recursive: true });
  writeFileSync(join(house.dir, '.claude/settings.json'), JSON.stringify(values));
}

async function trustOf(client: Client, fields: JsonObject = {}): Promise<JsonObject> {
  const answer = await client.control({ subtype: 'trust_project', ...fields });
  expect(answer).toMatchObject({ subtype: 'success' });
  return readHostResponse('trust_project', answer.response) as JsonObject;
}

const allowWrite = { permissions: { allow: ['Write'] } };

test('[G1] a host shows what would act, and its decision is for these files only; they act from the next turn on', async () => {
  const house = createHouse((_request, at) =>
    at % 2 === 0 ? toolUse('Write', { file_path: `f${at}.txt`, content: 'x' }) : 'done',
  );
  settings(house, { ...allowWrite, env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } });
  const client = house.connect();
  expect((await client.ask('go')).permission_denials).toHaveLength(1);
  const init = client.of('system/init')[0]?.trust;
  const before = await trustOf(client);
  expect(before).toMatchObject({
    state: 'untrusted',
    files: [
      {
        file: '.claude/settings.json',
        needs_trust: [{ key: 'permissions.allow', value: 'Write' }],
        never: ['env.ANTHROPIC_BASE_URL'],
      },
    ],
  });
  expect(isObject(init) && init.digest).toBe(before.digest);
  settings(house, allowWrite);
  expect(await client.control({ subtype: 'trust_project', digest: before.digest, decision: 'trust' })).toMatchObject({
    subtype: 'error',
    error_code: 'invalid_settings',
  });
  const { digest } = await trustOf(client);
  expect(await trustOf(client, { digest, decision: 'trust' })).toMatchObject({ state: 'trusted' });
  expect((await client.ask('again')).permission_denials).toEqual([]);
  expect(client.of('system/init').at(-1)?.trust).toMatchObject({ trusted: true });
  expect(client.of('system/init').at(-1)?.trust).not.toHaveProperty('digest');
  expect(await trustOf(client, { decision: 'distrust' })).toMatchObject({ state: 'untrusted' });
  expect((await client.ask('once more')).permission_denials).toHaveLength(1);
});

test('a decision that is none changes nothing', async () => {
  const house = createHouse([]);
  settings(house, allowWrite);
  const client = house.connect();
  for (const fields of [{ decision: 'trust' }, { decision: 'maybe' }, { decision: 'trust', digest: '' }]) {
    expect(await client.control({ subtype: 'trust_project', ...fields })).toMatchObject({ subtype: 'error' });
  }
  expect(await trustOf(client)).toMatchObject({ state: 'untrusted' });
});
