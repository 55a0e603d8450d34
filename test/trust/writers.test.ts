import { expect, test } from 'vitest';
import { reply, text, toolUse } from '../../src/testing/index.ts';
import { type Finished, runCli, STREAM_OUT } from '../support/cli.ts';
import { textsOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { conversationText } from '../support/requests.ts';
import { readEntries, sessionFile, sessionFiles } from '../support/session-files.ts';
import { trustSize } from './size.ts';
import { tally } from './tally.ts';

const WRITERS = 4;
const rounds = Math.min(50, trustSize('ROUNDS', 5));

const checkStored = tally(['S-22'], `rounds of ${WRITERS} writers`, 'torn or lost lines');
const checkFates = tally(['S-23'], 'writers', 'left behind without a word');

test.each(Array.from({ length: rounds }, (_, round) => ({ round })))(
  `[S-22, S-23] ${WRITERS} processes on one session, round $round: no torn line, and nobody is left behind without a word`,
  async ({ round }) => {
    const place = await makePlace(script);
    const first = await ask(place, 'first');
    const sessionId = String(first.lines.at(-1)?.session_id);
    const names = Array.from({ length: WRITERS }, (_, writer) => `writer-${writer}`);
    const flags = [[], ['--on-busy', 'fork'], ['--on-busy', 'wait']][round % 3] ?? [];
    const runs = await Promise.all(names.map((name) => ask(place, name, '--resume', sessionId, ...flags)));

    for (const file of sessionFiles(place)) readEntries(file); // throws for a line that is no JSON
    const stored = new Set(sessionFiles(place).flatMap((file) => readEntries(file).map(({ uuid }) => uuid)));
    checkStored([first, ...runs].flatMap((run) => unsaved(run, stored)));

    const reached: string[] = [];
    for (const run of runs) reached.push(await fate(place, run, sessionId));
    checkFates(
      reached.filter((each) => each !== 'refused' && each !== 'reachable'),
      WRITERS,
    );
    expect(reached).toContain('reachable');
  },
);

/** A call, then an answer that repeats who asked, slowly enough for others to come in between. */
function script(request: Parameters<typeof conversationText>[0], index: number) {
  const told = conversationText(request);
  const isAnswered = /out-\d+$/.test(told);
  const name = /writer-\d|first|later/g;
  if (isAnswered) return reply([text(`answer to ${told.match(name)?.at(-1)}`)], { deltaMs: 20 });
  return reply([toolUse('Bash', { command: `sleep 0.1; echo out-${index}` })], { deltaMs: 20 });
}

function ask(place: Place, prompt: string, ...flags: string[]): Promise<Finished> {
  return runCli([...STREAM_OUT, prompt, '--allowedTools', 'Bash', ...flags], { place });
}

function unsaved(run: Finished, stored: ReadonlySet<unknown>): string[] {
  const said = run.lines.filter(({ type }) => type === 'assistant' || type === 'user');
  return said.filter(({ uuid }) => !stored.has(uuid)).map(({ type, uuid }) => `${type} ${uuid} is not on disk`);
}

/** What became of a writer: refused with an error of its kind, or its turn is what a later resume goes on from. */
async function fate(place: Place, run: Finished, sessionId: string): Promise<string> {
  const result = run.lines.at(-1);
  if (run.code !== 0) {
    const isTyped = /session_busy|in use|another process|writes to/i.test(run.stdout + run.stderr);
    return isTyped ? 'refused' : `ended with ${run.code}: ${run.stdout.slice(-300)} ${run.stderr}`;
  }
  const own = String(result?.session_id ?? sessionId);
  if (own !== sessionId) sessionFile(place, own);
  await ask(place, 'later', '--resume', own);
  const told = conversationText(place.api.requests.at(-1));
  const missing = run.lines.flatMap(({ message }) => textsOf(message)).filter((said) => !told.includes(said));
  return missing.length === 0 ? 'reachable' : `lost: ${missing.join(' | ')}`;
}
