import { expect, test } from 'vitest';
import type { Options } from '../../src/sdk/index.ts';
import { sdk } from '../support/built.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { conversationText } from '../support/requests.ts';
import { readEntries, sessionFile } from '../support/session-files.ts';

/** A session of two turns, and the flags that go back behind the first of them. */
async function twoTurns(place: Place) {
  const first = await runCli([...STREAM_OUT, 'first'], { place });
  const sessionId = String(first.lines.at(-1)?.session_id);
  await runCli([...STREAM_OUT, 'second', '--resume', sessionId], { place });
  const prompts = readEntries(sessionFile(place, sessionId)).filter(({ type }) => type === 'user');
  const at = String(first.lines.find(({ type }) => type === 'assistant')?.uuid);
  return { sessionId, at, first: String(prompts[0]?.uuid), second: String(prompts[1]?.uuid) };
}

test('[B-233] --resume-drops-turn lets a resume drop that turn, and refuses to drop another', async () => {
  const place = await makePlace(() => 'ok');
  const { sessionId, at, first, second } = await twoTurns(place);
  const back = [...STREAM_OUT, 'instead', '--resume', sessionId, '--resume-session-at', at];
  const before = readEntries(sessionFile(place, sessionId));
  const refused = await runCli([...back, '--resume-drops-turn', first], { place });
  expect(refused.code).toBe(1);
  expect(refused.lines).toMatchObject([
    {
      type: 'result',
      subtype: 'error_during_execution',
      error_code: 'resume_rejected',
      errors: [expect.stringMatching(/^Resume rejected by --resume-drops-turn: /)],
    },
  ]);
  expect(JSON.stringify(refused.lines)).toContain(second);
  expect(readEntries(sessionFile(place, sessionId))).toEqual(before);
  expect(place.api.requests).toHaveLength(2);

  const gone = await runCli([...back, '--resume-drops-turn', second], { place });
  expect(gone.lines.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
  expect(conversationText(place.api.requests.at(-1))).not.toContain('second');

  const alone = await runCli([...STREAM_OUT, 'x', '--resume', sessionId, '--resume-drops-turn', second], { place });
  expect(alone).toMatchObject({ code: 1, stderr: 'Error: --resume-drops-turn needs --resume-session-at\n' });
});

test('[B-069] resumeDropsTurn: a message that the session took in since is not dropped unseen', async () => {
  const place = await makePlace(() => 'ok');
  const { sessionId: resume, at, second } = await twoTurns(place);
  await runCli([...STREAM_OUT, 'a third that the host has not seen', '--resume', resume], { place });
  const run = async (options: Options) => {
    const base = { cwd: place.cwd, env: place.env, resume, resumeSessionAt: at, resumeDropsTurn: second };
    for await (const message of sdk.query({ prompt: 'instead', options: { ...base, ...options } })) {
      if (message.type === 'result') return message;
    }
    return undefined;
  };
  for (const forkSession of [false, true]) {
    expect(await run({ forkSession })).toMatchObject({
      subtype: 'error_during_execution',
      errors: [expect.stringMatching(/^Resume rejected by --resume-drops-turn: /)],
    });
  }
  expect(place.api.requests).toHaveLength(3);
});
