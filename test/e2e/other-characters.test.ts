import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { textsOf, toolResult } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';

/** What the model reads about an edit of this text, from the built command line. */
async function failedEdit(text: string, old: string): Promise<string> {
  const place = await makePlace([
    toolUse('Read', { file_path: 'notes.txt' }),
    toolUse('Edit', { file_path: 'notes.txt', old_string: old, new_string: 'x' }),
    'done',
  ]);
  writeFileSync(join(place.cwd, 'notes.txt'), text);
  const { lines } = await runCli([...STREAM_OUT, 'go', '--allowedTools', 'Edit'], { place });
  return lines.filter(toolResult).flatMap(({ message }) => textsOf(message))[1] ?? '';
}

test('the arrows that Read adds are known to the built command line', async () => {
  expect(await failedEdit('one\nhello\n', '     2→hello')).toContain('Leave out the line numbers and arrows');
});

test('letters that look alike are named by the built command line', async () => {
  expect(await failedEdit('say “hello” – now\n', 'say "hello" - now')).toContain('characters that look alike');
});
