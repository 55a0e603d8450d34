import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fail, toolUse } from '../../src/testing/index.ts';
import { sdk } from '../support/built.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { bodyOf, conversationText } from '../support/requests.ts';
import { readEntries, sessionFile } from '../support/session-files.ts';

const CONTINUE = ['--continue', '--continue-turn'];

test('[S-9] a turn that a kill cut off in a tool continues without a new message', async () => {
  const place = await makePlace([toolUse('Bash', { command: 'touch ran; sleep 30' }), 'all done']);
  const killed = startCli([...STREAM_OUT, 'do it', '--allowedTools', 'Bash'], { place });
  const init = await killed.next(({ subtype }) => subtype === 'init');
  await expect.poll(() => existsSync(join(place.cwd, 'ran')), { timeout: 15_000 }).toBe(true);
  killed.kill('SIGKILL');
  await killed.finished;

  const offered = await runCli([...STREAM_OUT, '--continue', '/context'], { place });
  const prompt = readEntries(sessionFile(place, String(init.session_id))).find(({ type }) => type === 'user');
  expect(offered.lines.find(({ subtype }) => subtype === 'resume_report')).toMatchObject({
    unfinished_turn: { prompt_uuid: prompt?.uuid },
  });

  const run = await runCli([...STREAM_OUT, ...CONTINUE], { place });
  expect(run.lines.at(-1)).toMatchObject({
    type: 'result',
    subtype: 'success',
    result: 'all done',
    user_message_uuids: [prompt?.uuid],
  });
  expect(run.code).toBe(0);
  expect(place.api.requests).toHaveLength(2);
  expect(conversationText(place.api.requests.at(-1))).toContain('It may have run in part or not at all');
  const prompts = bodyOf(place.api.requests.at(-1)).messages.filter(({ role }) => role === 'user');
  expect(JSON.stringify(prompts).split('do it')).toHaveLength(2);

  const again = await runCli(['-p', ...CONTINUE], { place });
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain('There is no turn to continue');
});

test('[S-9] an answer that broke off is asked for again, and stays as a side branch', async () => {
  const place = await makePlace(['first answer', 'whole answer']);
  const first = await runCli([...STREAM_OUT, 'one'], { place });
  const file = sessionFile(place, String(first.lines.at(-1)?.session_id));
  const [answer] = readEntries(file).filter(({ type }) => type === 'assistant');
  const prompt = { ...readEntries(file).find(({ type }) => type === 'user'), uuid: crypto.randomUUID() };
  const asked = { ...prompt, parentUuid: answer?.uuid, message: { role: 'user', content: 'two' } };
  const half = { ...answer, uuid: crypto.randomUUID(), parentUuid: prompt.uuid };
  const cut = { ...(answer?.message as object), id: 'msg_cut', content: [{ type: 'text', text: 'half an' }] };
  const lines = [asked, { ...half, message: { ...cut, stop_reason: null } }];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { flag: 'a' });

  const run = await runCli([...STREAM_OUT, ...CONTINUE], { place });
  expect(run.lines.at(-1)).toMatchObject({ subtype: 'success', result: 'whole answer' });
  const sent = conversationText(place.api.requests.at(-1));
  expect(sent).toContain('two');
  expect(sent).not.toContain('half an');
  const entries = readEntries(file);
  expect(entries.some(({ uuid }) => uuid === half.uuid)).toBe(true);
  expect(entries.findLast(({ type }) => type === 'assistant')?.parentUuid).toBe(prompt.uuid);
});

test('[CTL-17, S-9] continue_turn repeats a call of the model that failed; without such a turn it is refused', async () => {
  const place = await makePlace([fail(400, 'invalid_request_error', 'no'), 'now it works']);
  const cli = startCli(STREAM_BOTH, { place });
  expect(await cli.control({ subtype: 'continue_turn' })).toMatchObject({
    subtype: 'error',
    error: expect.stringContaining('There is no turn to continue'),
  });
  cli.say('hello');
  expect(await cli.nextResult()).toMatchObject({ is_error: true });
  expect(await cli.control({ subtype: 'continue_turn' })).toMatchObject({ subtype: 'success' });
  expect(await cli.nextResult()).toMatchObject({ subtype: 'success', is_error: false, result: 'now it works' });
  cli.endInput();
  expect((await cli.finished).code).toBe(0);
});

test('[OPT-46, S-9] continueTurn of the SDK: hooks of the program take part in the turn', async () => {
  const place = await makePlace([
    toolUse('Bash', { command: 'touch ran; sleep 30' }),
    toolUse('Bash', { command: 'echo two' }),
    'done',
  ]);
  const killed = startCli([...STREAM_OUT, 'do it', '--allowedTools', 'Bash'], { place });
  await expect.poll(() => existsSync(join(place.cwd, 'ran')), { timeout: 15_000 }).toBe(true);
  killed.kill('SIGKILL');
  await killed.finished;

  const seen: string[] = [];
  const note = (input: unknown) => {
    seen.push(JSON.stringify(input));
    return {};
  };
  const PreToolUse = [{ hooks: [async (input: { tool_input?: unknown }) => note(input.tool_input)] }];
  const options = { cwd: place.cwd, env: place.env, continue: true, continueTurn: true, allowedTools: ['Bash'] };
  const results = [];
  for await (const message of sdk.query({ prompt: '', options: { ...options, hooks: { PreToolUse } as never } })) {
    if (message.type === 'result') results.push(message);
  }
  expect(results).toMatchObject([{ subtype: 'success', result: 'done' }]);
  expect(seen).toEqual([expect.stringContaining('echo two')]);
});

test('[K38] --continue-turn needs a session', async () => {
  const place = await makePlace([]);
  const run = await runCli(['-p', '--continue-turn'], { place });
  expect(run).toMatchObject({ code: 1 });
  expect(run.stderr).toContain('--continue-turn needs --resume or --continue');
});
