import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { text, toolUse } from '../../src/testing/index.ts';
import { apiFaults } from '../support/api-faults.ts';
import { type Finished, runCli, STREAM_OUT } from '../support/cli.ts';
import { hasTrace } from '../support/damage-run.ts';
import { textsOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf, conversationText } from '../support/requests.ts';
import { readEntries, sessionFile } from '../support/session-files.ts';
import { makeSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { tally } from './tally.ts';

const SIZE = 256 * 1024;
/** How much room is left when the second turn begins, in bytes; a page is 4096 of them. */
const LEVELS = [0, 4096, 8192, 16_384, 32_768, 65_536];

/** Six answers with calls, each longer than the one before, then a last word. */
function script({ body }: { body: unknown }) {
  const { messages } = body as { messages: { role: string }[] };
  const said = messages.filter(({ role }) => role === 'assistant').length;
  if (said % 7 === 6) return 'All done.';
  return [text(`step-${said} ${'x'.repeat(2000 * said)}`), toolUse('Bash', { command: `echo out-${said}` })];
}

const NOT_HERE = 'NOT TESTED: neither mount nor bwrap gives a small file system here';

interface FullPlace extends Place {
  disk: SmallDisk;
}

async function placeOnDisk(skip: (note: string) => never): Promise<FullPlace> {
  const place = await makePlace(script);
  const disk = await makeSmallDisk(place.root, SIZE);
  if (disk === null) return skip(NOT_HERE);
  const home = join(disk.path, 'home');
  return { ...place, disk, home, env: { ...place.env, HEDDLE_HOME: home } };
}

function ask(place: Place, prompt: string, ...flags: string[]): Promise<Finished> {
  return runCli([...STREAM_OUT, prompt, '--allowedTools', 'Bash', ...flags], { place });
}

/** What was said and is on no disk, unless the run has said that it could not store it. */
function lost(run: Finished, stored: ReadonlySet<unknown>): string[] {
  const said = run.lines.filter(({ type }) => type === 'assistant' || type === 'user');
  return said.filter(({ uuid }) => !stored.has(uuid)).map(({ type, uuid }) => `${type} ${uuid}`);
}

const checkStarts = tally(['S-21'], 'starts without room', 'silent or with a trace');

describe('a full disk', () => {
  const check = tally(['S-20'], 'fill levels', 'silent losses');

  test.for(LEVELS)(
    '[S-20] with %i bytes left: what is stored is whole, the loss is said, and it goes on later',
    async (left, { skip }) => {
      const place = await placeOnDisk(skip);
      const first = await ask(place, 'first');
      const sessionId = String(first.lines.at(-1)?.session_id);
      expect(first.code).toBe(0);

      place.disk.fill(left);
      const full = await ask(place, 'second', '--resume', sessionId);
      const entries = readEntries(sessionFile(place, sessionId)); // throws for half a line
      const stored = new Set(entries.map(({ uuid }) => uuid));
      check([...lost(first, stored), ...lost(full, stored)]);
      expect(hasTrace(full)).toBe(false);
      expect(full.lines.at(-1)).toMatchObject({ type: 'result', is_error: true });
      expect(JSON.stringify(full.lines.at(-1))).toContain('disk is full');

      place.disk.makeRoom();
      const later = await ask(place, 'third', '--resume', sessionId);
      expect(later.code).toBe(0);
      const request = place.api.requests.find((each) => conversationText(each).includes('third'));
      expect(apiFaults(bodyOf(request))).toEqual([]);
      const told = conversationText(request);
      const said = [...first.lines, ...full.lines].flatMap(({ message }) => textsOf(message));
      expect(said.filter((each) => !told.includes(each))).toEqual([]);
      readEntries(sessionFile(place, sessionId));
    },
  );

  test('[S-21] at the start: it answers or fails aloud', async ({ skip }) => {
    const place = await placeOnDisk(skip);
    place.disk.fill(0);
    await expectAloud(place);
  });
});

describe('a home that cannot be written to', () => {
  test.for([{ hasSessions: false }, { hasSessions: true }])(
    '[S-21] read-only, with sessions in it: $hasSessions: it answers or fails aloud',
    async ({ hasSessions }, { skip }) => {
      const place = await placeOnDisk(skip);
      if (hasSessions) await ask(place, 'before');
      if (!place.disk.makeReadOnly()) skip(NOT_HERE);
      await expectAloud(place);
    },
  );

  test('[S-21] one that cannot be made: it answers or fails aloud', async () => {
    const place = await makePlace(() => 'ok');
    await expectAloud({ ...place, env: { ...place.env, HEDDLE_HOME: '/proc/heddle' } });
  });
});

async function expectAloud(place: Place): Promise<void> {
  for (const args of [
    [...STREAM_OUT, 'hi'],
    ['-p', 'hi'],
    ['-p', 'hi', '--continue'],
  ]) {
    const started = Date.now();
    const run = await runCli(args, { place });
    expect(Date.now() - started).toBeLessThan(5000);
    const isAloud = run.code === 0 || /full|writ/.test(run.stdout + run.stderr);
    checkStarts(isAloud && !hasTrace(run) ? [] : [run.stdout + run.stderr]);
  }
}
