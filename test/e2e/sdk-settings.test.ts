import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Options, Query, SDKUserMessage } from '../../src/sdk/index.ts';
import { toolUse } from '../../src/testing/index.ts';
import { Channel } from '../../src/util/channel.ts';
import { sdk } from '../support/built.ts';
import { makePlace, type Place } from '../support/place.ts';

function talk(place: Place, options: Options = {}): { run: Query; ask(text: string): Promise<unknown[]> } {
  const prompts = new Channel<SDKUserMessage>();
  const run = sdk.query({ prompt: prompts, options: { cwd: place.cwd, env: place.env, ...options } });
  onTestFinished(async () => void (await run.close()));
  return {
    run,
    async ask(content) {
      prompts.push({ type: 'user', message: { role: 'user', content } } as unknown as SDKUserMessage);
      for (;;) {
        const { value, done } = await run.next();
        if (done) throw new Error('The run ended without another result');
        if (value.type === 'result') return value.permission_denials;
      }
    },
  };
}

test('explainPermission names the rule and its file', async () => {
  const place = await makePlace();
  mkdirSync(place.home, { recursive: true });
  const file = join(place.home, 'settings.json');
  writeFileSync(file, JSON.stringify({ permissions: { deny: ['Bash(rm:*)'] } }));
  const { run } = talk(place, { settingSources: ['user'], allowedTools: ['Edit'] });
  expect(await run.explainPermission('Bash', { command: 'rm x' })).toMatchObject({
    behavior: 'deny',
    layer: 'deny-rule',
    rule: 'Bash(rm:*)',
    where: `${file}: permissions.deny`,
  });
  await expect(run.explainPermission('Bahs', {})).rejects.toThrow('Did you mean Bash?');
});

test('[B-081, B-161] applyFlagSettings holds from the next turn on; getSettings tells', async () => {
  const call = toolUse('Bash', { command: 'touch made' });
  const place = await makePlace([call, 'No.', call, 'Yes.', call, 'No.']);
  const { run, ask } = talk(place, { settings: { env: { MY_KEY: 'secret' } } });
  expect(await ask('1')).toHaveLength(1);
  expect(await run.applyFlagSettings({ permissions: { allow: ['Bash(touch:*)'] }, env: { B: '1' } })).toEqual({
    without_effect: ['env'],
  });
  expect(await run.getSettings()).toMatchObject({
    effective: { permissions: { allow: ['Bash(touch:*)'] }, env: { B: '1' } },
    sources: [{ source: 'flagSettings' }],
  });
  expect(await ask('2')).toHaveLength(0);
  expect(existsSync(join(place.cwd, 'made'))).toBe(true);
  await run.applyFlagSettings({ permissions: null });
  expect(await ask('3')).toHaveLength(1);
  await expect(run.applyFlagSettings({ model: 5 })).rejects.toMatchObject({
    message: expect.stringContaining('model'),
  });
});
