import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AnswerLike, toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';

const SESSION = '5e551000-0000-4000-8000-000000000001';
const SUMMARY = '<summary>They made a list.</summary>';

function run(place: Place, prompt: string, args: string[], env: Record<string, string> = {}) {
  return runCli([...STREAM_OUT, ...args, '--', prompt], { place, env });
}

describe('what a resumed session goes on with', () => {
  test('[S-15] plan mode: nothing is written that the user still wanted to approve', async () => {
    const write = toolUse('Write', { file_path: 'made.txt', content: 'x' });
    const place = await makePlace([toolUse('EnterPlanMode', {}), 'Planning.', write, 'Held back.', write, 'Written.']);
    await run(place, 'plan it', ['--session-id', SESSION, '--allowedTools', 'Write']);
    const resumed = await run(place, 'go', ['--resume', SESSION, '--allowedTools', 'Write']);
    expect(resumed.lines[0]).toMatchObject({ permissionMode: 'plan' });
    expect(resumed.stderr).toContain('plan mode');
    expect(existsSync(join(place.cwd, 'made.txt'))).toBe(false);
    await run(place, 'go', ['--resume', SESSION, '--allowedTools', 'Write', '--permission-mode', 'default']);
    expect(existsSync(join(place.cwd, 'made.txt'))).toBe(true);
  });

  test('the todo list, also behind a compaction', async () => {
    const todos = [{ content: 'one', status: 'pending', activeForm: 'Doing one' }];
    const more = [{ content: 'two', status: 'pending', activeForm: 'Doing two' }];
    const answers: AnswerLike[] = [
      toolUse('TodoWrite', { todos }),
      'Listed.',
      SUMMARY,
      toolUse('TodoWrite', { todos: more }),
      'Ok.',
    ];
    const place = await makePlace(answers);
    await run(place, 'make a list', ['--session-id', SESSION]);
    await run(place, '/compact', ['--resume', SESSION]);
    const { lines } = await run(place, 'go on', ['--resume', SESSION]);
    expect(lines.find(({ tool_use_result }) => tool_use_result)?.tool_use_result).toMatchObject({ oldTodos: todos });
  });

  test('[K30] the tasks, in a fork as a copy', async () => {
    const task = { subject: 'one', description: 'do one' };
    const place = await makePlace([toolUse('TaskCreate', task), 'Made.', toolUse('TaskList', {}), 'Listed.']);
    const env = { CLAUDE_CODE_ENABLE_TASKS: '1' };
    await run(place, 'make a task', ['--session-id', SESSION], env);
    const { stdout } = await run(place, 'list', ['--resume', SESSION, '--fork-session'], env);
    expect(stdout).toContain('#1 [pending] one');
  });
});
