import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { askedAs, callingProgram, PROMPTS } from '../support/calling-program.ts';
import { cast, lastText, task } from '../support/cast.ts';
import { isResult, type Line } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';

/** How long the agent is at work after the first result. Longer than any grace period. */
const WORK_MS = 3000;

const script = () =>
  cast<FakeApiRequest>({
    MAIN: [
      task('CHILD go', { run_in_background: true }),
      'I go on.',
      (request) => (lastText(request).includes('<result>All three.</result>') ? 'I heard of it.' : 'I heard nothing.'),
    ],
    CHILD: [
      async () => {
        await sleep(WORK_MS);
        return toolUse('Bash', { command: 'touch made' });
      },
      toolUse('mcp__own__note', { text: 'from the child' }),
      'All three.',
    ],
  });

describe('an agent that works on after the first result', () => {
  test.each(PROMPTS)('[BG-05, STD-04, B-254] reaches all callbacks of the program: prompt as %s', async (kind) => {
    const place = await makePlace(script());
    const { options, called } = callingProgram({ main: 'the main thread', agent: 'an agent' });
    const lines: Line[] = [];
    const isEnough = () => lines.filter(isResult).length === 2;
    for await (const line of askedAs({ kind, prompt: 'MAIN go' }, { place, options, isEnough })) lines.push(line);
    const results = lines.filter(isResult);
    expect(results.map(({ result }) => result)).toEqual(['I go on.', 'I heard of it.']);
    expect(called).toEqual([
      'hook: Task',
      'hook: Bash',
      'asked: Bash by an agent',
      'hook: mcp__own__note',
      'tool: from the child',
    ]);
  });
});
