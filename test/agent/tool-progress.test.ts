import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import type { ToolProgressMessage } from '../../src/wire/messages/index.ts';
import { createRig, fakeTool, kindsOf, type Rig, said, until } from './support.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A turn whose calls of the tool `slow` last until `finish`. */
async function startCalls(ids: string[], options: { ordered?: boolean } = {}) {
  const open: (() => void)[] = [];
  const slow = fakeTool('slow', {
    safe: true,
    run: ({ text }) => new Promise((resolve) => open.push(() => resolve(said(String(text))))),
  });
  const calls = ids.map((id) => toolUse('slow', { text: id }, id));
  const rig = createRig([calls, 'done'], { tools: [slow], ...options });
  const ended = rig.ask('go');
  await until(() => open.length === ids.length);
  const finish = () => {
    for (const each of open) each();
    return ended;
  };
  return { rig, finish };
}

const progressOf = (rig: Rig) => rig.lines.filter(({ type }) => type === 'tool_progress') as ToolProgressMessage[];

test('[MSG-18, FLD-34] a call that takes long gives a sign of life every 30 s', async () => {
  const { rig, finish } = await startCalls(['a']);
  vi.advanceTimersByTime(29_000);
  vi.advanceTimersByTime(32_000);
  await finish();
  expect(kindsOf(rig.lines)).toEqual(['assistant', 'tool_progress', 'tool_progress', 'user', 'assistant']);
  const [first, second] = progressOf(rig);
  expect(first).toEqual({
    type: 'tool_progress',
    tool_use_id: 'a',
    tool_name: 'slow',
    parent_tool_use_id: null,
    elapsed_time_seconds: 30,
    session_id: rig.turn.sessionId,
    uuid: expect.any(String),
  });
  expect(second).toMatchObject({ tool_use_id: 'a', elapsed_time_seconds: 60 });
  expect((await rig.entries()).map(({ type }) => type)).not.toContain('tool_progress');
  expect(vi.getTimerCount()).toBe(0);
});

test('[MSG-18] one of 20 s gives none', async () => {
  const { rig, finish } = await startCalls(['a']);
  vi.advanceTimersByTime(20_000);
  await finish();
  vi.advanceTimersByTime(60_000);
  expect(progressOf(rig)).toEqual([]);
});

test.each([false, true])('[MSG-18, K36] each of those that run together, ordered: %s', async (ordered) => {
  const { rig, finish } = await startCalls(['a', 'b'], { ordered });
  vi.advanceTimersByTime(30_000);
  await finish();
  expect(progressOf(rig).map(({ tool_use_id }) => tool_use_id)).toEqual(['a', 'b']);
  expect(kindsOf(rig.lines).slice(2)).toEqual(['tool_progress', 'tool_progress', 'user', 'user', 'assistant']);
});
