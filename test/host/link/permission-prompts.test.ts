import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { createHouse, resultsOf } from '../support.ts';

const HOST: RunConfig = { permissionPromptTool: 'stdio' };

/** A session whose host would allow everything; whether the command ran, and what was made of it. */
async function touching(config: RunConfig) {
  const house = createHouse([toolUse('Bash', { command: 'touch canary' }), 'done']);
  const client = house.connect(config, { answer: () => ({ behavior: 'allow' }) });
  const result = await client.ask('go');
  return { client, result, ran: existsSync(join(house.dir, 'canary')), logs: house.logs };
}

test('[B-068, G7] permissionPrompts none: what would be asked is denied at once, and listed', async () => {
  const { client, result, ran, logs } = await touching({ ...HOST, permissionPrompts: 'none' });
  expect(ran).toBe(false);
  expect(client.of('control_request/can_use_tool')).toEqual([]);
  expect(resultsOf(client.lines)).toMatchObject([{ is_error: true }]);
  expect(result).toMatchObject({ subtype: 'success', permission_denials: [{ tool_name: 'Bash' }] });
  expect(client.of('system/init')[0]?.tools).not.toContain('AskUserQuestion');
  expect(logs.filter(({ level }) => level === 'warn')).toEqual([]);
});

test('[B-068] what a rule allows runs all the same', async () => {
  const { ran, result } = await touching({ ...HOST, permissionPrompts: 'none', allowedTools: ['Bash(touch:*)'] });
  expect(ran).toBe(true);
  expect(result.permission_denials).toEqual([]);
});

test('[B-068] permissionPrompts host: the host is asked, as without it', async () => {
  const { client, ran } = await touching({ ...HOST, permissionPrompts: 'host' });
  expect(client.of('control_request/can_use_tool')).toHaveLength(1);
  expect(ran).toBe(true);
});
