import { describe, expect, test } from 'vitest';
import { makeRows } from '../../../src/sessions/indexed/make-rows.ts';
import { storedSession } from '../../../src/sessions/stored/stored-session.ts';
import { ansiSpans } from '../../../src/web/tree/ansi.ts';
import { conversationTo, sessionModel, sumsOf } from '../../../src/web/tree/session-model.ts';
import { axisOf } from '../../../src/web/tree/time-axis.ts';
import { type TreeFilter, treeLines } from '../../../src/web/tree/tree-lines.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { assistant, call, loadedFrom, result, user } from '../../sessions/support.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const cost = (usd: number): Entry => ({ type: 'cost-state', sessionId: 's', totalCostUSD: usd, modelUsage: {} });
const usage = { input_tokens: 100, output_tokens: 10 };
const answered = (uuid: string, content: unknown, place: Record<string, unknown>): Entry => {
  const entry = assistant(uuid, content, place);
  return { ...entry, message: { ...(entry.message as object), usage, stop_reason: 'end_turn' } };
};

/** A turn with a call that failed, then two branches: an older one of two turns, and the active one. */
const entries = [
  user('u1', 'fix the form', { at: at(0) }),
  answered('u2', [call('c1')], { parent: 'u1', at: at(2), id: 'm1' }),
  {
    ...result('u3', 'c1', { parent: 'u2', at: at(12) }),
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'no', is_error: true }] },
  },
  answered('u4', 'fixed', { parent: 'u3', at: at(14), id: 'm2' }),
  cost(0.1),
  user('u5', 'with a test', { parent: 'u4', at: at(1000) }),
  answered('u6', 'a test', { parent: 'u5', at: at(1002), id: 'm3' }),
  user('u7', 'and run it', { parent: 'u6', at: at(1010) }),
  answered('u8', 'it runs', { parent: 'u7', at: at(1011), id: 'm4' }),
  cost(0.3),
  user('u9', 'without one', { parent: 'u4', at: at(2000) }),
  answered('u10', 'done', { parent: 'u9', at: at(2003), id: 'm5' }),
  cost(0.35),
];

function modelOf(list: readonly Entry[] = entries) {
  const { rows, leaf } = makeRows(storedSession({ sessionId: 's', path: '' }, loadedFrom(list)));
  return sessionModel(rows, leaf);
}

function drawn(filter: TreeFilter, toggled: [string, boolean][] = [], agents: string[] = []) {
  const lines = treeLines(modelOf(), { filter, toggled: new Map(toggled), agents: new Set(agents) });
  return lines.map(
    ({ depth, kind, label, isActive }) => `${'  '.repeat(depth)}${kind} ${label}${isActive ? ' <' : ''}`,
  );
}

describe('the lines of a tree', () => {
  test('the active conversation is straight, and another branch is one closed line before its part', () => {
    expect(drawn('tools')).toEqual(['prompt fix the form', '  call c1', 'branch with a test', 'prompt without one <']);
  });

  test('an opened branch is indented, with its own turns', () => {
    const [branch] = treeLines(modelOf(), { filter: 'tools', toggled: new Map(), agents: new Set() }).filter(
      ({ kind }) => kind === 'branch',
    );
    expect(branch?.sums).toMatchObject({ turns: 2, errors: 0 });
    expect(drawn('tools', [[branch?.key ?? '', true]])).toEqual([
      'prompt fix the form',
      '  call c1',
      'branch with a test',
      '  prompt with a test',
      '  prompt and run it',
      'prompt without one <',
    ]);
  });

  test('filters choose what stands below prompts', () => {
    expect(drawn('prompts')).toEqual(['prompt fix the form', 'branch with a test', 'prompt without one <']);
    expect(drawn('answers')).toContain('  text fixed');
    expect(drawn('errors')).toContain('  call c1');
    expect(drawn('errors')).not.toContain('  text fixed');
    expect(drawn('tools', [], ['c1'])).toContain('  agent c1');
  });

  test('turns sum up to the session, and time between prompts is nobody’s', () => {
    const model = modelOf();
    const { usd, turns, ms, input } = sumsOf(model.steps.values());
    expect(usd).toBeCloseTo(0.35);
    expect([turns, ms, input]).toEqual([4, (14 + 2 + 1 + 3) * 1000, 500]);
    const [first] = treeLines(model, { filter: 'tools', toggled: new Map(), agents: new Set() });
    expect(first).toMatchObject({ ms: 14_000, sums: { turns: 1, errors: 1 } });
    expect(first?.sums?.usd).toBeCloseTo(0.1);
    expect(model.calls.get('c1')).toMatchObject({ ms: 10_000, result: { part: { isError: true } } });
  });

  test('a conversation is the way to the end of its branch', () => {
    const model = modelOf();
    const ids = (end: typeof model.active) => conversationTo(model, end).map(({ id }) => id);
    expect(ids(model.active)).toEqual(['u1', 'u2', 'u3', 'u4', 'u9', 'u10']);
    const other = model.ends.find(({ isOnPath }) => !isOnPath) ?? null;
    expect(ids(other)).toEqual(['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8']);
  });

  test('thousands of nested branches are drawn without recursion', () => {
    const nested: Entry[] = [user('p0', 'start', { at: at(0) })];
    for (let n = 1; n <= 5000; n++)
      nested.push(user(`p${n}`, `prompt ${n}`, { parent: `p${Math.floor((n - 1) / 2)}`, at: at(n) }));
    const toggled = new Map(Array.from({ length: 5001 }, (_, n) => [`b${n}`, true] as const));
    expect(treeLines(modelOf(nested), { filter: 'tools', toggled, agents: new Set() }).length).toBeGreaterThan(5000);
  });
});

test('the axis of a timeline leaves out the time in which a person thought', () => {
  const axis = axisOf(modelOf());
  const place = (seconds: number) => axis.at(Date.parse(at(seconds)));
  expect([place(0), place(2003)]).toEqual([0, 1]);
  expect(axis.ms).toBeLessThan(60_000);
  expect(place(12)).toBeGreaterThan(place(2));
  expect(place(1002)).toBeGreaterThan(place(14));
  expect(place(5000)).toBe(1);
});

describe('colours of commands', () => {
  test('become classes, and every other sequence goes', () => {
    const text =
      '\u001b[1;31mred\u001b[0m \u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007\u001b[2J\u001b[38;5;200mpink\u001b[39m!';
    expect(ansiSpans(text)).toEqual([
      { text: 'red', classes: 'a1 f1' },
      { text: ' ', classes: '' },
      { text: 'link', classes: '' },
      { text: 'pink', classes: '' },
      { text: '!', classes: '' },
    ]);
  });

  test('attributes end where they are ended', () => {
    expect(ansiSpans('\u001b[4;42;97ma\u001b[24mb\u001b[49mc')).toEqual([
      { text: 'a', classes: 'a4 f7 b2' },
      { text: 'b', classes: 'f7 b2' },
      { text: 'c', classes: 'f7' },
    ]);
  });
});
