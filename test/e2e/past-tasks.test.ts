import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { changeRecord, recordsOf } from '../support/background.ts';
import { cast, lastText, task } from '../support/cast.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

const ask = (place: Place, prompt: string, ...flags: string[]) =>
  runCli([...STREAM_OUT, prompt, '--allowedTools', 'Bash', ...flags], { place });

/** A session that has had one task in the background, and what TaskOutput says of it after a resume. */
async function resumedWith(start: ReturnType<typeof toolUse>, change: (place: Place, sessionId: string) => void) {
  let taskId = '';
  const heard: string[] = [];
  const place = await makePlace(
    cast<FakeApiRequest>({
      MAIN: [
        start,
        'Started.',
        'Told.',
        () => toolUse('TaskOutput', { task_id: taskId, block: true, timeout: 1000 }),
        (request) => {
          heard.push(lastText(request));
          return 'Seen.';
        },
      ],
      CHILD: ['The last words.'],
    }),
  );
  const { lines } = await ask(place, 'MAIN go');
  const sessionId = String(lines.at(-1)?.session_id);
  taskId = String(recordsOf(place, sessionId)[0]?.task_id);
  change(place, sessionId);
  const again = await ask(place, 'what of it?', '--resume', sessionId);
  return { taskId, heard: heard.join('\n'), lines: again.lines };
}

describe('[BG-03] TaskOutput of a task of an earlier process', () => {
  test('shows what a command has said, and how it ended', async () => {
    const start = toolUse('Bash', { command: 'echo it; exit 3', run_in_background: true });
    const { heard, taskId, lines } = await resumedWith(start, () => {});
    expect(heard).toMatch(/<status>failed<\/status>\s*<exit_code>3<\/exit_code>\s*<output>\nit\n<\/output>/);
    const results = lines.flatMap(({ tool_use_result }) => tool_use_result ?? []);
    expect(results).toMatchObject([{ retrieval_status: 'success', task: { task_id: taskId, exitCode: 3 } }]);
  });

  test('shows the last words of an agent', async () => {
    const { heard } = await resumedWith(task('CHILD go', { run_in_background: true }), () => {});
    expect(heard).toMatch(/<task_type>local_agent<\/task_type>\s*<status>completed[\s\S]*\nThe last words\.\n/);
  });

  test('a record that was changed shows no other file', async () => {
    const start = toolUse('Bash', { command: 'echo it', run_in_background: true });
    const { heard } = await resumedWith(start, (place, sessionId) => {
      const output_file = put(join(place.root, 'secret'), 'the-secret');
      for (const record of recordsOf(place, sessionId)) changeRecord(place, record, { output_file });
    });
    expect(heard).toContain('<status>completed</status>');
    expect(heard).not.toContain('the-secret');
  });
});
