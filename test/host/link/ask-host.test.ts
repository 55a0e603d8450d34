import { afterEach, describe, expect, test, vi } from 'vitest';
import type { AskRequest } from '../../../src/agent/calls/gate.ts';
import { askOverControl } from '../../../src/host/link/permission-question.ts';
import { Aborted } from '../../../src/util/abort.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { memoryPair } from '../../../src/wire/link/memory-transport.ts';
import { Peer } from '../../../src/wire/link/peer.ts';
import { eventually } from '../../support/processes.ts';

afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;
const ALLOW = { behavior: 'allow' };

function question(toolUseId: string): AskRequest {
  const decision = { behavior: 'ask', layer: 'default', reason: 'why', suggestions: [] } as const;
  return { toolName: 'Write', input: {}, toolUseId, decision: { ...decision, suggestions: [] } };
}

/** An agent that asks, and a host whose lines the test writes itself. The n-th question has the id `r<n>`. */
function conversation() {
  const { near, far } = memoryPair();
  let ids = 0;
  const peer = new Peer(near, { newId: () => `r${++ids}`, onRequest: () => ({}) });
  const heard: JsonObject[] = [];
  (async () => {
    for await (const line of far.readMessages()) if (!(line instanceof Error)) heard.push(line);
  })();
  /** A host answers what it has been asked. */
  const questionsHeard = (count: number) =>
    eventually(() => heard.filter(({ type }) => type === 'control_request').length >= count);
  const respond = async (response: JsonObject) => {
    await eventually(() => heard.some(({ request_id }) => request_id === response.request_id));
    await far.write({ type: 'control_response', response });
  };
  return {
    ask: askOverControl(peer),
    heard,
    questionsHeard,
    answer: (request_id: string, response: unknown) => respond({ subtype: 'success', request_id, response }),
    fail: (request_id: string, error: string) => respond({ subtype: 'error', request_id, error }),
    leave: () => far.close(),
  };
}

describe('asking the host', () => {
  test('[PRM-01] has no deadline: an answer days later counts', async () => {
    vi.useFakeTimers();
    const { ask, answer } = conversation();
    const settled = vi.fn();
    const asked = ask(question('a'), never).then(settled);
    await vi.advanceTimersByTimeAsync(72 * 60 * 60 * 1000);
    expect(settled).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    await answer('r1', ALLOW);
    await asked;
    expect(settled).toHaveBeenCalledWith(ALLOW);
  });

  test('[P-5, P-6, P-8] several questions at once: each has its own answer, in whatever order they come', async () => {
    const { ask, answer, fail } = conversation();
    const asked = ['a', 'b', 'c', 'd'].map((id) => ask(question(id), never));
    await answer('r4', { behavior: 'deny', message: 'not d' });
    await answer('r4', ALLOW);
    await fail('r2', 'b broke');
    await answer('r3', 7);
    expect(await asked[3]).toEqual({ behavior: 'deny', message: 'not d' });
    expect(await asked[1]).toEqual({ behavior: 'deny', message: 'Tool permission request failed: b broke' });
    expect(await asked[2]).toMatchObject({ behavior: 'deny', message: expect.stringContaining('not valid') });
    await answer('r1', ALLOW);
    expect(await asked[0]).toEqual(ALLOW);
  });

  test('[K11, P-7] one of them is withdrawn: its late answer is ignored, the others stay open', async () => {
    const { ask, answer, heard, questionsHeard } = conversation();
    const controller = new AbortController();
    const withdrawn = ask(question('a'), controller.signal);
    const open = ask(question('b'), never);
    await questionsHeard(2);
    controller.abort(new Aborted('interrupt'));
    expect(await withdrawn).toMatchObject({ behavior: 'deny', message: expect.stringContaining('withdrawn') });
    await answer('r1', ALLOW);
    await answer('r2', ALLOW);
    expect(await open).toEqual(ALLOW);
    expect(heard.filter(({ type }) => type === 'control_cancel_request')).toEqual([
      { type: 'control_cancel_request', request_id: 'r1' },
    ]);
  });

  test('[K2, P-9] a host that leaves denies all that is open, and all that would be asked after', async () => {
    const { ask, leave, questionsHeard } = conversation();
    const asked = ['a', 'b'].map((id) => ask(question(id), never));
    await questionsHeard(2);
    await leave();
    const left = { behavior: 'deny', message: expect.stringContaining('connection closed') };
    expect(await Promise.all(asked)).toEqual([left, left]);
    expect(await ask(question('c'), never)).toEqual(left);
  });
});

describe('[P-8] what is wrong with an answer is said', () => {
  const updates = (...updatedPermissions: unknown[]) => ({ ...ALLOW, updatedPermissions });
  const rule = { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' };

  test.each<[unknown, string]>([
    [null, 'expected an object with behavior "allow" or "deny"'],
    ['allow', 'expected an object with behavior "allow" or "deny"'],
    [[ALLOW], 'expected an object with behavior "allow" or "deny"'],
    [{ updatedInput: {} }, 'expected an object with behavior "allow" or "deny"'],
    [{ behavior: 'Allow' }, 'expected an object with behavior "allow" or "deny"'],
    [{ behavior: 'deny' }, 'message: expected string'],
    [{ behavior: 'deny', message: 'x', interrupt: 'yes' }, 'interrupt: expected boolean'],
    [{ ...ALLOW, updatedInput: 'rm' }, 'updatedInput: expected record'],
    [{ ...ALLOW, updatedInput: null }, 'updatedInput: expected record'],
    [{ ...ALLOW, updatedPermissions: {} }, 'updatedPermissions: expected array'],
    [updates(rule, 'x'), 'updatedPermissions.1: expected object'],
    [updates({ ...rule, type: 'grantAll' }), 'updatedPermissions.0.type: expected'],
    [updates({ ...rule, rules: 'Bash' }), 'updatedPermissions.0.rules: expected array'],
    [updates({ ...rule, rules: [{}] }), 'updatedPermissions.0.rules.0.toolName: expected string'],
    [updates({ ...rule, behavior: 'maybe' }), 'updatedPermissions.0.behavior: expected "allow"'],
    [updates({ ...rule, destination: 'moon' }), 'updatedPermissions.0.destination: expected "userSettings"'],
    [
      updates({ type: 'setMode', mode: 'banana', destination: 'session' }),
      'updatedPermissions.0.mode: expected "default"',
    ],
    [updates({ type: 'addDirectories', directories: '/', destination: 'session' }), 'directories: expected array'],
  ])('%j', async (body, problem) => {
    const { ask, answer } = conversation();
    const asked = ask(question('a'), never);
    await answer('r1', body);
    expect(await asked).toEqual({
      behavior: 'deny',
      message: expect.stringContaining(`Tool permission request failed: the answer is not valid: `),
    });
    expect(await asked).toHaveProperty('message', expect.stringContaining(problem));
  });
});
