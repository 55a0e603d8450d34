import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/util/json.ts';
import { createViewTracker } from '../../src/view/index.ts';
import { begun, opening, piece, result, system, text } from './lines.ts';
import { recordings } from './recordings.ts';

const recorded = recordings().flatMap(({ lines }) => lines.map(({ line }) => line));
const values = fc.anything({ maxDepth: 3, withNullPrototype: true });
/** A recorded line in which something is not as it should be. */
const damaged = fc
  .tuple(
    fc.nat(recorded.length - 1),
    fc.constantFrom('message', 'event', 'type', 'subtype', 'request', 'tool_use_result', 'tasks', 'patch'),
    values,
  )
  .map(([at, key, value]) => ({ ...recorded[at], [key]: value }));
const whole = fc.nat(recorded.length - 1).map((at) => recorded[at] ?? {});
const odd = fc.dictionary(fc.constantFrom('type', 'subtype', 'message', 'uuid', 'event'), values);
const lines = fc.array(fc.oneof(whole, damaged, odd) as fc.Arbitrary<JsonObject>, { maxLength: 60 });

test('[TUI-06] any lines in any order: it never throws, and nothing stays live behind a result', () => {
  fc.assert(
    fc.property(lines, (some) => {
      const tracker = createViewTracker();
      for (const line of some) tracker.note(line, 0);
      tracker.note(result(), 0);
      expect(tracker.view.live).toEqual([]);
      tracker.closed({ code: 1, signal: null }, 0);
      expect(tracker.view.questions.length + tracker.view.tasks.length).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test('[TUI-04] a piece costs the same at the beginning and at the end of a long answer', () => {
  const tracker = createViewTracker();
  for (const line of [begun('m1'), opening({ type: 'text', text: '' })]) tracker.note(line, 0);
  const some = (count: number) => {
    const before = process.cpuUsage().user;
    for (let at = 0; at < count; at++) tracker.note(piece('abcd '), 0);
    return process.cpuUsage().user - before;
  };
  some(20_000); // warm
  const early = some(20_000);
  some(200_000);
  const late = some(20_000);
  expect(late).toBeLessThan(5 * early + 20_000);
  const [live] = tracker.view.live;
  expect(live?.kind === 'answer' && live.pieces.length).toBe(260_000);
});

test('[TUI-05] after any number of turns the view is as small as after one', () => {
  const tracker = createViewTracker();
  const turn = (at: number) => {
    const uuid = `p${at}`;
    tracker.sent({ type: 'user', message: { role: 'user', content: `prompt ${at}` }, uuid }, 0);
    const call = { type: 'tool_use', id: `c${at}`, name: 'Bash', input: { command: 'ls' } };
    const answer = { type: 'assistant', message: { id: `m${at}`, content: [call], usage: { input_tokens: 3 } } };
    const ended = {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: `c${at}`, content: 'x' }] },
    };
    for (const line of [system('init'), answer, ended, text(`n${at}`, 'Done'), result()]) tracker.note(line, 0);
  };
  const size = () => JSON.stringify(tracker.view).length;
  turn(0);
  const first = size();
  for (let at = 1; at < 3000; at++) turn(at);
  expect(size()).toBeLessThan(first + 50);
});
