import { describe, expect, test } from 'vitest';
import { type Ask, type AskAnswer, type AskRequest, createGate } from '../../../src/agent/calls/gate.ts';
import type { Policy } from '../../../src/permissions/policy.ts';
import { applyUpdate } from '../../../src/permissions/updates.ts';
import { objectInput, string } from '../../../src/tools/input-schema.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { PermissionUpdate } from '../../../src/wire/permissions.ts';
import { policyFor, rules } from '../../permissions/policy-for.ts';
import { fakeTool, noWorkspace } from '../support.ts';

const signal = new AbortController().signal;

/** Names the one file that it writes. */
const writer: Tool = {
  ...fakeTool('Write'),
  input: objectInput({ file_path: string('which') }),
  access: (input, workspace) => ({ kind: 'edit', paths: [workspace.resolve(String(input.file_path))] }),
};

interface Bench {
  policy?: Partial<Policy>;
  /** Null: nobody can be asked. */
  answer?: AskAnswer | null;
}

function bench({ policy: overrides = {}, answer = { behavior: 'allow' } }: Bench = {}) {
  let policy = policyFor({ bypassAllowed: false, ...overrides });
  const asked: AskRequest[] = [];
  const ask: Ask = async (request) => {
    asked.push(request);
    return answer ?? { behavior: 'deny', message: 'unreachable' };
  };
  let fileAccesses = 0;
  const gate = createGate({
    workspace: noWorkspace,
    policy: () => policy,
    ask: () => (answer === null ? null : ask),
    onUpdates: (updates) => {
      policy = updates.reduce(applyUpdate, policy);
    },
    onFileAccess: () => {
      fileAccesses++;
    },
  });
  return {
    asked,
    check: (input: JsonObject, tool = writer) => gate.check({ tool, input, toolUseId: 'toolu_1' }, signal),
    mode: () => policy.mode,
    fileAccesses: () => fileAccesses,
  };
}

const inside = { file_path: 'a.txt' };
const update = { destination: 'session' } as const;

describe('without a question', () => {
  test('what is allowed runs with its own input', async () => {
    const { check, asked } = bench({ policy: { mode: 'acceptEdits' } });
    expect(await check(inside)).toMatchObject({ allowed: true, input: inside });
    expect(asked).toEqual([]);
  });

  test('[K7] what a rule denies is not asked for', async () => {
    const { check, asked } = bench({ policy: { deny: rules('Edit(a.txt)') } });
    const verdict = await check(inside);
    expect(verdict).toMatchObject({ allowed: false, interrupt: false });
    expect(verdict).toHaveProperty('message', expect.stringContaining('Edit(a.txt)'));
    expect(asked).toEqual([]);
  });

  test('[G7, R-19] where nobody can be asked, a question is a denial at once', async () => {
    const { check } = bench({ answer: null });
    expect(await check(inside)).toMatchObject({
      allowed: false,
      message: expect.stringContaining('requested but not granted'),
      interrupt: false,
    });
  });
});

describe('with a question', () => {
  test('[K12, PRM-02] allow without an input keeps the original', async () => {
    const { check, asked } = bench();
    expect(await check(inside)).toMatchObject({ allowed: true, input: inside });
    expect(asked).toMatchObject([{ toolName: 'Write', input: inside, toolUseId: 'toolu_1' }]);
  });

  test('[P-10, PRM-02] allow with an input runs with that one', async () => {
    const { check } = bench({ answer: { behavior: 'allow', updatedInput: { file_path: 'b.txt' } } });
    expect(await check(inside)).toMatchObject({ allowed: true, input: { file_path: 'b.txt' } });
  });

  test('[P-10] an input that the tool does not take is a denial', async () => {
    const { check } = bench({ answer: { behavior: 'allow', updatedInput: { file_path: 7 } } });
    expect(await check(inside)).toMatchObject({
      allowed: false,
      message: expect.stringContaining('file_path must be a string'),
    });
  });

  test('[P-10, R-3] a host cannot lift a deny rule by changing the input', async () => {
    const { check } = bench({
      policy: { deny: rules('Edit(secret.txt)') },
      answer: { behavior: 'allow', updatedInput: { file_path: 'secret.txt' } },
    });
    expect(await check(inside)).toMatchObject({ allowed: false, message: expect.stringContaining('secret.txt') });
  });

  test('[PRM-04] deny passes the message on as it is', async () => {
    const { check } = bench({ answer: { behavior: 'deny', message: 'Host says no' } });
    expect(await check(inside)).toEqual({ allowed: false, message: 'Host says no', interrupt: false });
  });

  test('[PRM-06] deny may stop the turn', async () => {
    const { check } = bench({ answer: { behavior: 'deny', message: 'stop', interrupt: true } });
    expect(await check(inside)).toEqual({ allowed: false, message: 'stop', interrupt: true });
  });
});

describe('updates that come with an answer', () => {
  const withUpdates = (...updatedPermissions: PermissionUpdate[]): Bench => ({
    answer: { behavior: 'allow', updatedPermissions },
  });
  const setMode = (mode: 'acceptEdits' | 'bypassPermissions'): PermissionUpdate => ({
    type: 'setMode',
    mode,
    destination: 'session',
  });

  test('[PRM-03, PRM-10] apply before the call and to those after it, which are not asked for', async () => {
    const { check, asked, mode } = bench(withUpdates(setMode('acceptEdits')));
    expect(await check(inside)).toMatchObject({ allowed: true });
    expect(await check({ file_path: 'b.txt' })).toMatchObject({ allowed: true });
    expect(asked).toHaveLength(1);
    expect(mode()).toBe('acceptEdits');
  });

  test('[PRM-03, PRM-07] a deny rule that comes with the answer holds for its own changed input', async () => {
    const deny: PermissionUpdate = {
      type: 'addRules',
      rules: [{ toolName: 'Edit', ruleContent: 'b.txt' }],
      behavior: 'deny',
      destination: 'session',
    };
    const { check } = bench({
      answer: { behavior: 'allow', updatedPermissions: [deny], updatedInput: { file_path: 'b.txt' } },
    });
    expect(await check(inside)).toMatchObject({ allowed: false });
  });

  test('[K4, PRM-18] one that is not permitted is a denial', async () => {
    const { check, mode } = bench(withUpdates(setMode('bypassPermissions')));
    expect(await check(inside)).toMatchObject({
      allowed: false,
      message: expect.stringContaining('not permitted when the session started'),
      interrupt: false,
    });
    expect(mode()).toBe('default');
  });
});

test('only calls that name files are reported as file access', async () => {
  const { check, fileAccesses } = bench();
  await check({}, fakeTool('plain'));
  await check({}, fakeTool('shell', { access: () => ({ kind: 'execute', command: 'ls' }) }));
  expect(fileAccesses()).toBe(0);
  await check(inside);
  await check({}, fakeTool('reader', { access: () => ({ kind: 'read', paths: ['/project/a'] }) }));
  expect(fileAccesses()).toBe(2);
});

test('the policy is read at each call', async () => {
  let policy = policyFor();
  const gate = createGate({
    workspace: noWorkspace,
    policy: () => policy,
    ask: () => null,
    onUpdates: () => {},
    onFileAccess: () => {},
  });
  const check = () => gate.check({ tool: writer, input: inside, toolUseId: 'a' }, signal);
  expect(await check()).toMatchObject({ allowed: false });
  policy = policyFor({ mode: 'acceptEdits' });
  expect(await check()).toMatchObject({ allowed: true });
});

describe('an answer that comes after the rules have changed', () => {
  test('[R-3] a deny rule that has come meanwhile holds', async () => {
    const deny: PermissionUpdate = {
      ...update,
      type: 'addRules',
      behavior: 'deny',
      rules: [{ toolName: 'Edit', ruleContent: 'a.txt' }],
    };
    const { check } = bench({ answer: { behavior: 'allow', updatedPermissions: [deny] } });
    expect(await check(inside)).toMatchObject({ allowed: false, message: expect.stringContaining('Edit(a.txt)') });
    expect(await check({ file_path: 'b.txt' })).toMatchObject({ allowed: true });
  });

  test('a mode that asks no more does not take it back', async () => {
    const { check } = bench({
      answer: { behavior: 'allow', updatedPermissions: [{ ...update, type: 'setMode', mode: 'dontAsk' }] },
    });
    expect(await check(inside)).toMatchObject({ allowed: true, input: inside });
  });
});

describe('where the files of an allowed call are', () => {
  const leading = (...targets: string[]) => {
    let lookups = 0;
    const realPath = (path: string) =>
      path === '/project/a.txt' ? (targets[Math.min(lookups++, targets.length - 1)] ?? null) : path;
    return { realPath, lookups: () => lookups };
  };

  test('[R-8] they are looked up once: what was judged is what is handed on', async () => {
    const { realPath, lookups } = leading('/project/real.txt', '/outside.txt');
    const { check } = bench({ policy: { mode: 'acceptEdits', realPath, deny: rules('Edit(private/**)') } });
    const places = new Map([['/project/a.txt', '/project/real.txt']]);
    expect(await check(inside)).toEqual({ allowed: true, input: inside, places });
    expect(lookups()).toBe(1);
  });

  test('[R-8] they are those of the input that runs, not of the one that was asked about', async () => {
    const { check } = bench({ answer: { behavior: 'allow', updatedInput: { file_path: 'b.txt' } } });
    expect(await check(inside)).toMatchObject({ places: new Map([['/project/b.txt', '/project/b.txt']]) });
  });

  test('[R-8] an answer is not for what the path leads to since the question', async () => {
    const message = expect.stringContaining('/project/a.txt changed while the call was being judged');
    for (const more of [{}, { updatedInput: inside }]) {
      const { realPath } = leading('/project/real.txt', '/outside.txt');
      const { check } = bench({ policy: { realPath }, answer: { behavior: 'allow', ...more } });
      expect(await check(inside)).toMatchObject({ allowed: false, message });
    }
  });

  test('a call that names none has no places', async () => {
    const verdict = await bench().check({ text: 'x' }, fakeTool('Other'));
    expect(verdict).toMatchObject({ allowed: true, places: undefined });
  });
});
