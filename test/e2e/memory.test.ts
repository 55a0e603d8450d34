import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { textsOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf, conversationText, isPrefix } from '../support/requests.ts';

function write(place: Place, name: string, text: string): string {
  const path = join(place.cwd, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Reads a file of the subdirectory when it is asked to look. */
function answer(request: FakeApiRequest) {
  const said = textsOf(bodyOf(request).messages.at(-1));
  return said.some((text) => text.startsWith('look')) ? toolUse('Read', { file_path: 'sub/a.txt' }) : 'Done.';
}

const lastTexts = (place: Place) => textsOf(bodyOf(place.api.requests.at(-1)).messages.at(-1));

test('[K35] with memory and mentions, every request begins with the bytes of the one before, over a resume', async () => {
  const place = await makePlace(answer);
  write(place, 'AGENTS.md', 'Weave first.');
  write(place, 'CLAUDE.md', 'Then cut. @docs/more.md');
  write(place, 'docs/more.md', 'And hem.');
  write(place, 'sub/CLAUDE.md', 'Silk only.');
  write(place, 'sub/a.txt', 'a silk thread\n');
  write(place, 'notes with space.txt', 'a note\n');
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'CLAUDE.md'), 'Be brief.');
  const cli = startCli(STREAM_BOTH, { place });
  for (const prompt of ['see @"notes with space.txt" and @sub', 'look', 'thanks']) {
    cli.say(prompt);
    await cli.nextResult();
  }
  cli.endInput();
  await cli.finished;
  const args = ['--resume', String(cli.lines.at(-1)?.session_id)];
  const resumed = startCli([...STREAM_BOTH, ...args], { place });
  for (const prompt of ['look', 'see @sub/a.txt#L1']) {
    resumed.say(prompt);
    await resumed.nextResult();
  }
  const bodies = place.api.requests.map(bodyOf);
  expect(bodies).toHaveLength(7);
  for (const [at, body] of bodies.slice(1).entries())
    expect([at, isPrefix(bodies[at] as never, body)]).toEqual([at, true]);
  const all = conversationText(place.api.requests.at(-1));
  for (const text of ['Be brief.', 'Weave first.', 'Then cut.', 'And hem.', 'Silk only.']) {
    expect([text, all.split(text).length - 1]).toEqual([text, 1]);
  }
  expect(all).toContain('1→a note');
});

test('a file that changes while the session runs, or between two runs, is told at the next turn', async () => {
  const place = await makePlace(() => 'ok');
  const path = write(place, 'CLAUDE.md', 'Use tabs.');
  const cli = startCli(STREAM_BOTH, { place });
  cli.say('one');
  await cli.nextResult();
  writeFileSync(path, 'Use spaces.');
  cli.say('two');
  await cli.nextResult();
  expect(lastTexts(place)).toEqual(['two', expect.stringContaining('Use spaces.')]);
  cli.endInput();
  await cli.finished;
  rmSync(path);
  await runCli([...STREAM_OUT, 'three', '--resume', String(cli.lines.at(-1)?.session_id)], { place });
  expect(lastTexts(place)).toEqual(['three', expect.stringMatching(/withdrawn.*CLAUDE\.md/)]);
});

describe('[K1, SET-02] without the sources', () => {
  test('no memory file is read', async () => {
    const place = await makePlace(() => 'ok');
    write(place, 'CLAUDE.md', 'Use tabs.');
    const { lines } = await runCli([...STREAM_OUT, 'go', '--setting-sources', ''], { place });
    expect(conversationText(place.api.requests[0])).not.toContain('Use tabs.');
    expect(lines[0]).not.toHaveProperty('memory_files');
  });
});

describe('@path in a prompt', () => {
  test('[B-066] is text with --verbatim-prompts', async () => {
    const place = await makePlace(() => 'ok');
    write(place, 'a.txt', 'content');
    await runCli([...STREAM_OUT, 'see @a.txt', '--verbatim-prompts'], { place });
    expect(conversationText(place.api.requests[0])).not.toContain('content');
    await runCli([...STREAM_OUT, 'see @a.txt'], { place });
    expect(conversationText(place.api.requests[1])).toContain('content');
  });

  test('opens no file that a rule of the project hides', async () => {
    const place = await makePlace(() => 'ok');
    write(place, '.env', 'TOKEN=secret');
    write(place, '.claude/settings.json', '{"permissions":{"deny":["Read(./.env)"]}}');
    await runCli([...STREAM_OUT, 'see @.env'], { place });
    expect(conversationText(place.api.requests[0])).toMatch(/\.env was mentioned, but not read/);
    expect(conversationText(place.api.requests[0])).not.toContain('TOKEN');
  });
});
