import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { createHouse, type House, resultsOf } from '../host/support.ts';

const BYPASS = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;

/** A session whose PreToolUse hook decides so about the call of Bash that makes `canary`; `asked` are the ids of calls. */
async function open(house: House, decision: 'defer' | 'allow' | 'deny', resume?: string) {
  const asked: unknown[] = [];
  const client = house.connect(
    { ...BYPASS, ...(resume !== undefined && { resume }) },
    {
      answer(request) {
        const input = request.input as JsonObject;
        const isMeant = (input.tool_input as JsonObject).command === 'touch canary';
        if (isMeant) asked.push(input.tool_use_id);
        const permissionDecision = isMeant ? decision : 'allow';
        return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } };
      },
    },
  );
  await client.control({ subtype: 'initialize', hooks: { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] } });
  return { client, asked };
}

/** One call that runs, and one that a hook leaves to somebody else. */
function createScene() {
  const calls = [
    toolUse('Bash', { command: 'echo beside' }, 'toolu_beside'),
    toolUse('Bash', { command: 'touch canary' }, 'toolu_left'),
  ];
  return createHouse([calls, 'It is done.', 'And more.']);
}

/** The results that a request holds, by the ids of their calls. */
function answers(house: House, at: number): [unknown, boolean][] {
  const content = house.model.requests[at]?.messages.flatMap((message) => message.content) ?? [];
  return content.flatMap((block) =>
    block.type === 'tool_result' ? [[block.tool_use_id, block.is_error === true] as [unknown, boolean]] : [],
  );
}

async function leave(house: House): Promise<string> {
  const { client, asked } = await open(house, 'defer');
  const result = await client.ask('go');
  expect(result).toMatchObject({ terminal_reason: 'tool_deferred', deferred_tool_use: { id: 'toolu_left' } });
  expect(asked).toEqual(['toolu_left']);
  await client.close();
  return String(result.session_id);
}

test('[B-189] a deferred call is asked about again on resume, runs, and the conversation goes on with what came of it', async () => {
  const house = createScene();
  const sessionId = await leave(house);
  expect(existsSync(join(house.dir, 'canary'))).toBe(false);
  const { client, asked } = await open(house, 'allow', sessionId);
  expect(await client.ask('go on')).toMatchObject({ subtype: 'success', result: 'It is done.' });
  expect(asked).toEqual(['toolu_left']);
  expect(existsSync(join(house.dir, 'canary'))).toBe(true);
  expect(answers(house, 1)).toEqual([
    ['toolu_beside', false],
    ['toolu_left', false],
  ]);
  expect(client.lines.filter(({ subtype }) => subtype === 'init')).toHaveLength(1);
  expect(resultsOf(client.of('user')).map(({ tool_use_id }) => tool_use_id)).toEqual(['toolu_left']);
  await client.close();
  // It is settled: the next resume asks nobody, and sends the same.
  const last = await open(house, 'deny', sessionId);
  await last.client.ask('and then?');
  expect(last.asked).toEqual([]);
  expect(answers(house, 2).toSorted()).toEqual(answers(house, 1).toSorted());
});

test('[B-139] one that is deferred again ends the turn again, and one that is denied is told as such', async () => {
  const house = createScene();
  const sessionId = await leave(house);
  const again = await open(house, 'defer', sessionId);
  expect(await again.client.ask('now?')).toMatchObject({
    terminal_reason: 'tool_deferred',
    deferred_tool_use: { id: 'toolu_left', name: 'Bash', input: { command: 'touch canary' } },
  });
  await again.client.close();
  const { client, asked } = await open(house, 'deny', sessionId);
  await client.ask('go on');
  expect(asked).toEqual(['toolu_left']);
  expect(answers(house, 1)).toEqual([
    ['toolu_beside', false],
    ['toolu_left', true],
  ]);
  expect(existsSync(join(house.dir, 'canary'))).toBe(false);
});
