import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { resultsOf } from '../host/support.ts';
import { hooked, KINDS } from './support.ts';

const touch = toolUse('Bash', { command: 'touch canary' });
const BYPASS = { permissionMode: 'bypassPermissions' };

function specific(hookEventName: string, more: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName, ...more } };
}

/** What comes of an answer: whether the tool ran, and what its result says. */
interface Case {
  answer: JsonObject;
  config?: JsonObject;
  ran: boolean;
  says?: string | RegExp;
  /** How many model calls follow. */
  requests?: number;
}

const PRE: Record<string, Case> = {
  nothing: { answer: {}, ran: true },
  'permissionDecision deny, with its reason [B-023]': {
    answer: specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'not today' }),
    ran: false,
    says: 'not today',
  },
  'permissionDecision allow': {
    answer: specific('PreToolUse', { permissionDecision: 'allow' }),
    config: {},
    ran: true,
  },
  'permissionDecision ask, nobody there': {
    answer: specific('PreToolUse', { permissionDecision: 'ask', permissionDecisionReason: 'look first' }),
    ran: false,
    says: /look first/,
  },
  'permissionDecision defer': {
    answer: specific('PreToolUse', { permissionDecision: 'defer' }),
    ran: false,
    says: /left this call/,
    requests: 1,
  },
  'decision block, whose reason the model reads [HK-24]': {
    answer: { decision: 'block', reason: 'not on a Monday' },
    ran: false,
    says: /not on a Monday/,
  },
  'decision approve': { answer: { decision: 'approve' }, config: {}, ran: true },
  'continue false': { answer: { continue: false, stopReason: 'enough' }, ran: false, says: 'enough', requests: 1 },
  preventContinuation: {
    answer: { preventContinuation: true, stopReason: 'enough' },
    ran: false,
    says: 'enough',
    requests: 1,
  },
  'updatedInput [HK-27]': {
    answer: specific('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'touch other' } }),
    ran: false,
    says: '',
  },
  'updatedInput that is none for the tool': {
    answer: specific('PreToolUse', { updatedInput: { nothing: 1 } }),
    ran: false,
    says: /not valid for Bash/,
  },
  'updatedInput that a rule denies': {
    answer: specific('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'rm canary' } }),
    config: { disallowedTools: ['Bash(rm:*)'] },
    ran: false,
    says: /denied/,
  },
  'allow against a deny rule': {
    answer: specific('PreToolUse', { permissionDecision: 'allow' }),
    config: { ...BYPASS, disallowedTools: ['Bash(touch:*)'] },
    ran: false,
    says: /denied/,
  },
  'allow against an ask rule': {
    answer: specific('PreToolUse', { permissionDecision: 'allow' }),
    config: { ...BYPASS, managedSettings: '{"permissions":{"ask":["Bash(touch:*)"]}}' },
    ran: false,
    says: /not granted/,
  },
  'allow in dontAsk': {
    answer: specific('PreToolUse', { permissionDecision: 'allow' }),
    config: { permissionMode: 'dontAsk' },
    ran: true,
  },
  'allow in plan mode': {
    answer: specific('PreToolUse', { permissionDecision: 'allow' }),
    config: { permissionMode: 'plan' },
    ran: false,
    says: /plan/,
  },
  async: { answer: { async: true }, ran: true },
};

describe.each(KINDS)('[HK-01] PreToolUse by a %s', (kind) => {
  test.each(Object.entries(PRE))('%s', async (_name, { answer, config = BYPASS, ran, says, requests = 2 }) => {
    const { house, client } = await hooked({ kind, event: 'PreToolUse', answer, config, script: [touch, 'done'] });
    await client.ask('go');
    expect(existsSync(join(house.dir, 'canary'))).toBe(ran);
    const [result] = resultsOf(client.lines);
    if (says !== undefined)
      expect(result?.content).toEqual(typeof says === 'string' ? says : expect.stringMatching(says));
    expect(house.model.requests).toHaveLength(requests);
  });

  test('[K32] a denial is listed in the result', async () => {
    const answer = specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' });
    const { client } = await hooked({ kind, event: 'PreToolUse', answer, config: BYPASS, script: [touch, 'done'] });
    expect(await client.ask('go')).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
  });

  test('[K18, HK-19, HK-21] a stop ends the turn as a success that says why, without a Stop hook', async () => {
    const answer = { continue: false, stopReason: 'enough' };
    const { client } = await hooked({ kind, event: 'PreToolUse', answer, config: BYPASS, script: [touch, 'done'] });
    expect(await client.ask('go')).toMatchObject({ subtype: 'success', result: '', terminal_reason: 'hook_stopped' });
    expect(client.of('system/informational')).toMatchObject([{ content: 'A hook stopped the turn: enough' }]);
  });

  test('[B-189, B-139] a deferred call is in the result', async () => {
    const answer = specific('PreToolUse', { permissionDecision: 'defer' });
    const { client } = await hooked({ kind, event: 'PreToolUse', answer, config: BYPASS, script: [touch, 'done'] });
    expect(await client.ask('go')).toMatchObject({
      terminal_reason: 'tool_deferred',
      deferred_tool_use: { name: 'Bash', input: { command: 'touch canary' } },
    });
  });

  test('[HK-13] only for the tools that its matcher fits', async () => {
    const answer = { decision: 'block', reason: 'blocked' };
    const given = { kind, event: 'PreToolUse', answer, config: BYPASS, script: [touch, 'done'] };
    const fitting = await hooked({ ...given, matcher: 'Edit|Bash' });
    await fitting.client.ask('go');
    expect(existsSync(join(fitting.house.dir, 'canary'))).toBe(false);
    const other = await hooked({ ...given, matcher: 'Edit|Write' });
    await other.client.ask('go');
    expect(existsSync(join(other.house.dir, 'canary'))).toBe(true);
  });
});

/** What the model is told in its next request, by event and answer. */
const TOLD: [event: string, answer: JsonObject, text: RegExp][] = [
  [
    'PostToolUse',
    specific('PostToolUse', { additionalContext: 'by the way' }),
    /PostToolUse:Bash hook additional context: by the way/,
  ],
  ['PostToolUse', { decision: 'block', reason: 'look again' }, /look again/],
  ['PostToolBatch', specific('PostToolBatch', { additionalContext: 'all done' }), /all done/],
  ['UserPromptSubmit', specific('UserPromptSubmit', { additionalContext: 'it is late' }), /it is late/],
  [
    'SessionStart',
    specific('SessionStart', { additionalContext: 'welcome' }),
    /SessionStart:startup hook additional context: welcome/,
  ],
  ['Stop', { decision: 'block', reason: 'do more' }, /Stop hook feedback:\n.*do more/],
];

describe.each(KINDS)('[HK-28, HK-29, HK-30] what a %s adds', (kind) => {
  test.each(TOLD)('%s is in the next request, and a resume sends the same', async (event, answer, text) => {
    const { house, client } = await hooked({
      kind,
      event,
      answer,
      config: BYPASS,
      script: () => (again++ === 0 ? touch : 'done'),
    });
    let again = 0;
    const { session_id } = await client.ask('go');
    const told = house.model.requests.map((request) => JSON.stringify(request.messages)).join('\n');
    expect(told.replaceAll('\\n', '\n')).toMatch(text);
    await client.end();
    const before = house.model.requests.length;
    await house.connect({ resume: session_id }).ask('on');
    const last = house.model.requests[before - 1]?.messages ?? [];
    expect(house.model.requests[before]?.messages.slice(0, last.length)).toEqual(last);
  });

  test('[HK-03] PostToolUseFailure is told of a command that failed', async () => {
    const answer = specific('PostToolUseFailure', { additionalContext: 'try sudo' });
    const fails = toolUse('Bash', { command: 'exit 3' });
    const { house, client, seen } = await hooked({
      kind,
      event: 'PostToolUseFailure',
      answer,
      config: BYPASS,
      script: [fails, 'done'],
    });
    await client.ask('go');
    expect(JSON.stringify(house.model.requests[1]?.messages.at(-1))).toContain('try sudo');
    if (kind === 'callback')
      expect(seen).toMatchObject([{ tool_name: 'Bash', error: 'Exit code 3', is_interrupt: false }]);
  });

  test('[B-190] updatedToolOutput replaces what the tool found', async () => {
    const answer = specific('PostToolUse', { updatedToolOutput: 'nothing to see' });
    const says = toolUse('Bash', { command: 'echo secret' });
    const { house, client } = await hooked({
      kind,
      event: 'PostToolUse',
      answer,
      config: BYPASS,
      script: [says, 'done'],
    });
    await client.ask('go');
    expect(resultsOf(client.lines)).toMatchObject([{ content: 'nothing to see' }]);
    expect(JSON.stringify(house.model.requests[1]?.messages.at(-1))).not.toContain('secret');
  });

  test('[HK-02] PostToolUse continue false ends the turn after the result', async () => {
    const answer = { continue: false, stopReason: 'that will do' };
    const { house, client } = await hooked({
      kind,
      event: 'PostToolUse',
      answer,
      config: BYPASS,
      script: [touch, 'done'],
    });
    expect(await client.ask('go')).toMatchObject({ terminal_reason: 'hook_stopped' });
    expect(existsSync(join(house.dir, 'canary'))).toBe(true);
    expect(house.model.requests).toHaveLength(1);
  });

  test('[HK-23, B-120] systemMessage is shown to people, not to the model', async () => {
    const { house, client } = await hooked({
      kind,
      event: 'UserPromptSubmit',
      answer: { systemMessage: 'psst' },
      script: ['hi'],
    });
    await client.ask('go');
    expect(client.of('system/informational')).toMatchObject([
      { content: 'UserPromptSubmit says: psst', level: 'notice' },
    ]);
    expect(JSON.stringify(house.model.requests)).not.toContain('psst');
  });
});

describe.each(KINDS)('[HK-05, K-6] a prompt that a %s blocks', (kind) => {
  test.each([
    ['decision block', { decision: 'block', reason: 'not that' }],
    ['continue false', { continue: false, stopReason: 'not that' }],
  ])('%s: is not sent', async (_name, answer) => {
    const { house, client } = await hooked({ kind, event: 'UserPromptSubmit', answer, script: ['never'] });
    const result = await client.ask('my prompt');
    expect(result).toMatchObject({ subtype: 'success', is_error: false, num_turns: 0, result: '' });
    expect(house.model.requests).toHaveLength(0);
    const entries = await house.entries(result.session_id);
    expect(entries.find(({ subtype }) => subtype === 'informational')).toMatchObject({
      level: 'warning',
      content: expect.stringMatching(/not that[\s\S]*my prompt/),
    });
    expect(entries.filter(({ type }) => type === 'user')).toEqual([]);
  });
});

describe.each(KINDS)('[HK-12] PermissionRequest by a %s', (kind) => {
  const decision = (behavior: string, more: JsonObject = {}) =>
    specific('PermissionRequest', { decision: { behavior, ...more } });

  test.each([
    ['allow', decision('allow'), true],
    ['allow with another input', decision('allow', { updatedInput: { command: 'touch canary2' } }), false],
    ['deny', decision('deny', { message: 'no' }), false],
    ['something else', decision('perhaps'), false],
  ])('%s', async (_name, answer, ran) => {
    const { house, client } = await hooked({ kind, event: 'PermissionRequest', answer, script: [touch, 'done'] });
    await client.ask('go');
    expect(existsSync(join(house.dir, 'canary'))).toBe(ran);
  });
});
