import { describe, expect, test } from 'vitest';
import { createGate } from '../../../src/agent/calls/gate.ts';
import { toolUse } from '../../../src/testing/script.ts';
import { objectInput, string } from '../../../src/tools/input-schema.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { parseMessage } from '../../../src/wire/messages/parse.ts';
import { policyFor, rules } from '../../permissions/policy-for.ts';
import { createRig, fakeTool, kindsOf, noWorkspace } from '../support.ts';

const writer: Tool = {
  ...fakeTool('Write'),
  input: objectInput({ file_path: string('which') }),
  access: (input, workspace) => ({ kind: 'edit', paths: [workspace.resolve(String(input.file_path))] }),
};

/** A turn in which the model wants to write one file. */
async function writing(path: string, options: { policy?: object; isAnswered?: boolean } = {}) {
  const gate = createGate({
    workspace: noWorkspace,
    policy: () => policyFor({ bypassAllowed: false, ...options.policy }),
    ask: () => (options.isAnswered ? async () => ({ behavior: 'deny', message: 'Not today.' }) : null),
    onUpdates: () => {},
    onFileAccess: () => {},
  });
  const rig = createRig([[toolUse('Write', { file_path: path }, 'toolu_1')], 'done'], { tools: [writer], gate });
  await rig.ask('go');
  return rig;
}

describe('[B-119] a denial that nobody was asked about', () => {
  test('is told before the result of the call, with what the model is told', async () => {
    const { lines, turn } = await writing('a.txt');
    expect(kindsOf(lines)).toEqual(['assistant', 'system/permission_denied', 'user', 'assistant']);
    const [, denied, result] = lines;
    expect(denied).toMatchObject({ tool_name: 'Write', tool_use_id: 'toolu_1', session_id: turn.sessionId });
    const told = (result as { message: { content: { content: string }[] } }).message.content[0]?.content;
    expect(denied).toMatchObject({ message: told });
    expect(told).toContain((denied as { decision_reason: string }).decision_reason);
    expect(parseMessage(denied as never)).toMatchObject({ ok: true });
    expect(turn.tally.denials).toHaveLength(1);
  });

  test.each([
    ['a deny rule', 'rule', 'a.txt', { deny: rules('Edit(a.txt)') }],
    ['an ask rule', 'rule', 'a.txt', { ask: rules('Edit(a.txt)') }],
    ['a mode that holds it back', 'mode', 'a.txt', { mode: 'plan' }],
    ['a mode that asks nobody', 'mode', 'a.txt', { mode: 'dontAsk' }],
    ['a protected path', 'safetyCheck', '.git/config', { mode: 'acceptEdits' }],
    ['a path outside of the directories', 'workingDir', '/elsewhere/a.txt', { mode: 'acceptEdits' }],
  ])('%s is a reason of its own', async (_name, type, path, policy) => {
    const { lines } = await writing(path, { policy });
    expect(lines[1]).toMatchObject({ subtype: 'permission_denied', decision_reason_type: type });
  });

  test('what somebody has answered is no such denial', async () => {
    const { lines, turn } = await writing('a.txt', { isAnswered: true });
    expect(kindsOf(lines)).toEqual(['assistant', 'user', 'assistant']);
    expect(turn.tally.denials).toHaveLength(1);
  });
});
