import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { describeGuarded } from '../../support/path-guard.ts';
import { eventually } from '../../support/processes.ts';
import { createHouse, resultsOf } from '../support.ts';

/** A program that is in no table, so that the parse line has nothing to say about the file. */
const reader = './reader > out 2>&1; echo ended';
const launch = { allowDetach: true, disallowedTools: ['Read(./.env)'], allowedTools: ['Bash'], settingSources: [] };

function houseWith(steps: Parameters<typeof createHouse>[0]) {
  const house = createHouse(steps);
  writeFileSync(join(house.dir, '.env'), 'canary\n');
  writeFileSync(join(house.dir, 'reader'), '#!/bin/sh\nexec cat .env\n', { mode: 0o755 });
  return house;
}

describeGuarded('[G13] the commands of a session with path rules', () => {
  test('run where the kernel holds them, and init tells so', async () => {
    const house = houseWith([toolUse('Bash', { command: reader }), 'fine']);
    const client = house.connect(launch);
    await client.ask('go');
    expect(client.of('system/init')[0]?.path_rules).toEqual({
      enforcement: 'auto',
      held_by: 'kernel',
      provider: 'bubblewrap',
    });
    expect(JSON.stringify(resultsOf(client.lines))).toContain('ended');
    expect(readFileSync(join(house.dir, 'out'), 'utf8')).toContain('Permission denied');
    expect(JSON.stringify(house.model.requests)).not.toContain('canary');
  });

  test.each([
    ['in the background', { run_in_background: true }],
    ['detached', { run_in_background: true, detach: true }],
  ])('%s, too', async (_title, more) => {
    const house = houseWith([toolUse('Bash', { command: reader, ...more }), 'fine']);
    const client = house.connect(launch);
    await client.ask('go');
    await eventually(() => existsSync(join(house.dir, 'out')) && readFileSync(join(house.dir, 'out'), 'utf8') !== '');
    expect(readFileSync(join(house.dir, 'out'), 'utf8')).toContain('Permission denied');
  });

  test('an explanation tells what holds them, for a command that may run', async () => {
    const client = houseWith(['fine']).connect(launch);
    await client.ask('go');
    const explain = (command: string) =>
      client.control({ subtype: 'explain_permission', tool_name: 'Bash', input: { command } });
    const held = { enforcement: 'auto', held_by: 'kernel', provider: 'bubblewrap' };
    expect(await explain('./reader')).toMatchObject({ response: { behavior: 'allow', pathRules: held } });
    const denied = await explain('cat .env');
    expect(denied).toMatchObject({ response: { behavior: 'deny' } });
    expect(denied.response).not.toHaveProperty('pathRules');
  });

  test('a hook of the user is not confined', async () => {
    const house = houseWith([toolUse('Bash', { command: 'true' }), 'fine']);
    const hook = { type: 'command', command: './reader > hooked' };
    const settings = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } });
    await house.connect({ ...launch, settings }).ask('go');
    expect(readFileSync(join(house.dir, 'hooked'), 'utf8')).toBe('canary\n');
  });
});

describe('[G13] a session', () => {
  test('without path rules tells nothing of it', async () => {
    const client = createHouse(['fine']).connect({ settingSources: [] });
    await client.ask('go');
    expect(client.of('system/init')[0]).not.toHaveProperty('path_rules');
  });

  test('that demands the kernel does not start without it', async () => {
    const settings = JSON.stringify({ permissions: { enforcement: 'kernel' } });
    const house = createHouse(['never'], { env: { PATH: '/no/such/directory' } });
    const exit = await house.connect({ settings, settingSources: [] }).end();
    expect(exit.code).toBe(1);
    expect(exit.stderr).toMatch(/permissions.enforcement is "kernel", .*apt-get install bubblewrap/);
    expect(house.model.requests).toEqual([]);
    expect(readdirSync(house.dir)).toEqual([]);
  });

  test('with a value of the setting that does not exist does not start', async () => {
    const settings = JSON.stringify({ permissions: { enforcement: 'strict' } });
    const exit = await createHouse(['never']).connect({ settings, settingSources: [] }).end();
    expect(exit.stderr).toContain('permissions.enforcement must be "auto", "kernel" or "parse"');
  });
});
