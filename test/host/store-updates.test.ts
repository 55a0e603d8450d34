import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trustOf } from '../../src/config/trust-store.ts';
import { toolUse } from '../../src/testing/script.ts';
import type { RunConfig } from '../../src/wire/run-config.ts';
import { createHouse, type House } from './support.ts';

const touch = toolUse('Bash', { command: 'touch made' });
const localFile = (house: House) => join(house.dir, '.claude', 'settings.local.json');
const homeOf = (house: House) => join(house.dir, '..', '.heddle');

/** Grants `touch` for the local settings when asked in the first turn; how often it was asked in three turns. */
async function questions(house: House, config: RunConfig = {}): Promise<number> {
  let asked = 0;
  const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
  const update = { type: 'addRules', behavior: 'allow', rules, destination: 'localSettings' };
  const answer = () => {
    asked++;
    return { behavior: 'allow', updatedPermissions: [update] };
  };
  const client = house.connect({ permissionPromptTool: 'stdio', ...config }, { answer });
  for (const turn of ['1', '2', '3']) await client.ask(turn);
  return asked;
}

function put(path: string, values: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(values));
}

describe('[PRM-03, PRM-14] what a user grants for a file of the project', () => {
  const script = [touch, 'one', touch, 'two', touch, 'three'];

  test('is trusted where there were no settings before: it is all theirs', async () => {
    const house = createHouse(script);
    expect(await questions(house)).toBe(1);
    expect(JSON.parse(readFileSync(localFile(house), 'utf8'))).toEqual({ permissions: { allow: ['Bash(touch:*)'] } });
    expect(trustOf(house.dir, homeOf(house))).toBe('trusted');
  });

  test('[R-13] holds for the session where the project is not trusted, and takes nothing else of it along', async () => {
    const house = createHouse(script);
    put(join(house.dir, '.claude', 'settings.json'), { permissions: { allow: ['Write'] } });
    expect(await questions(house)).toBe(1);
    expect(trustOf(house.dir, homeOf(house))).toBe('untrusted');
    const explained = await house.connect().control({
      subtype: 'explain_permission',
      tool_name: 'Bash',
      input: { command: 'touch x' },
    });
    expect(explained).toMatchObject({ response: { behavior: 'ask' } });
  });

  test('holds for the session where that file is not read', async () => {
    const house = createHouse(script);
    expect(await questions(house, { settingSources: [] })).toBe(1);
  });
});
