import { expect, test } from 'vitest';
import { type AnswerLike, type FakeApiRequest, fail, text, thinking, toolUse } from '../../src/testing/index.ts';
import { apiFaults } from '../support/api-faults.ts';
import { type RunningCli, STREAM_BOTH, startCli } from '../support/cli.ts';
import { textsOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf } from '../support/requests.ts';

const TURNS = 100;
const ARGS = [...STREAM_BOTH, '--allowedTools', 'Bash', '--max-thinking-tokens', '2000'];

/** Turns of every kind, by the number that the prompt carries; the same for the API and for the person. */
const KINDS = [
  'text',
  'tools',
  'queued',
  'thoughts',
  'error',
  'text',
  'tools',
  'interrupt',
  'empty',
  'command',
] as const;
const kindOf = (turn: number) => KINDS[turn % KINDS.length];

test('every request begins with the bytes of the one before, over 100 turns and a resume', async () => {
  const place = await makePlace(answer);
  const cli = startCli(ARGS, { place });
  for (let turn = 0; turn < TURNS; turn++) await takeTurn(cli, turn);
  cli.endInput();
  await cli.finished;
  const resumed = startCli([...ARGS, '--resume', String(cli.lines.at(-1)?.session_id)], { place });
  for (let turn = TURNS; turn < TURNS + KINDS.length; turn++) await takeTurn(resumed, turn);
  resumed.endInput();
  await resumed.finished;
  expect(place.api.requests.length).toBeGreaterThan(1.3 * TURNS);
  expect(prefixFaults(place)).toEqual([]);
  expect(place.api.requests.flatMap((request) => apiFaults(bodyOf(request)))).toEqual([]);
});

/** What the model does depends on what it was told last. */
function answer(request: FakeApiRequest): AnswerLike {
  const told = textsOf(bodyOf(request).messages.at(-1));
  if (told.some((line) => line.startsWith('Your last answer was empty'))) return 'Sorry.';
  const turn = Number(/^turn (\d+)/.exec(told.findLast((line) => /^turn \d/.test(line)) ?? '')?.[1] ?? -1);
  if (turn < 0) return [text('Seen 🧵.'), text('Done.')];
  switch (kindOf(turn)) {
    case 'tools':
      return [text('Look:'), toolUse('Bash', { command: `echo ${turn}` }), toolUse('Bash', { command: 'false' })];
    case 'queued':
      return toolUse('Bash', { command: 'sleep 0.1' });
    case 'interrupt':
      return toolUse('Bash', { command: 'sleep 600' });
    case 'thoughts':
      return [thinking(`Thought ${turn}.`), text('I thought.')];
    case 'error':
      return fail(400, 'invalid_request_error', 'no');
    case 'empty':
      return [];
    default:
      return `Answer ${turn}.`;
  }
}

async function takeTurn(cli: RunningCli, turn: number): Promise<void> {
  const kind = kindOf(turn);
  cli.say(kind === 'command' ? '/cost' : `turn ${turn}`);
  if (kind === 'queued' || kind === 'interrupt') await cli.next(({ type }) => type === 'assistant');
  if (kind === 'queued') cli.say('by the way');
  if (kind === 'interrupt') await cli.control({ subtype: 'interrupt' });
  await cli.nextResult();
}

const MARK = ',"cache_control":{"type":"ephemeral"}';

/** Bytes, cache marks aside, up to where the last message can still grow. */
function prefixFaults({ api }: Place): string[] {
  const sent = api.requests.map((request) => request.text.replaceAll(MARK, ''));
  return sent.slice(1).flatMap((later, at) => {
    const earlier = sent[at]?.replace(/\]\}\]\}$/, '') ?? '';
    if (later.startsWith(earlier)) return [];
    const differs = [...earlier].findIndex((byte, i) => byte !== later[i]);
    return [`request ${at + 2} differs at ${differs}: ${earlier.slice(differs - 60, differs + 60)}`];
  });
}
