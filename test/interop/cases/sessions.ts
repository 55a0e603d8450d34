import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SDKUserMessage } from '../../../src/sdk/index.ts';
import { toolUse } from '../../../src/testing/index.ts';
import { Channel } from '../../../src/util/channel.ts';
import { isResult } from '../../support/lines.ts';
import { conversationText } from '../../support/requests.ts';
import type { InteropCase } from '../case.ts';
import { drain, nextResult, user } from '../talk.ts';

const counting = (_request: unknown, index: number) => `Answer ${index + 1}.`;

/** Sessions that are kept, continued, copied and rewound. */
export const sessionCases: InteropCase[] = [
  {
    id: 'session-resume',
    title: 'resume goes on with the conversation under the same id',
    script: counting,
    async run({ resultOf, api }) {
      const first = await resultOf('the first question');
      const second = await resultOf('the second', { resume: first.session_id });
      assert.equal(second.session_id, first.session_id);
      assert.match(conversationText(api.requests[1]), /the first question[\s\S]*Answer 1[\s\S]*the second/);
    },
  },
  {
    id: 'session-continue',
    title: 'continue goes on with the last session of the directory',
    script: counting,
    async run({ resultOf, api }) {
      const first = await resultOf('the first question');
      assert.equal((await resultOf('the second', { continue: true })).session_id, first.session_id);
      assert.match(conversationText(api.requests[1]), /the first question/);
    },
  },
  {
    id: 'session-continue-nothing',
    title: 'continue without a session starts one',
    script: counting,
    async run({ resultOf }) {
      assert.equal((await resultOf('hi', { continue: true })).subtype, 'success');
    },
  },
  {
    id: 'session-fork',
    title: 'forkSession goes on in a copy and leaves the original alone',
    script: counting,
    async run({ resultOf, home, api }) {
      const first = await resultOf('the first question');
      const before = readFileSync(transcript(home, first.session_id), 'utf8');
      const fork = await resultOf('the second', { resume: first.session_id, forkSession: true });
      assert.notEqual(fork.session_id, first.session_id);
      assert.match(conversationText(api.requests[1]), /the first question/);
      assert.equal(readFileSync(transcript(home, first.session_id), 'utf8'), before);
    },
  },
  {
    id: 'session-fork-id',
    title: 'forkSession takes the id of the copy from sessionId',
    script: counting,
    async run({ resultOf }) {
      const first = await resultOf('the first question');
      const sessionId = randomUUID();
      const fork = await resultOf('the second', { resume: first.session_id, forkSession: true, sessionId });
      assert.equal(fork.session_id, sessionId);
    },
  },
  {
    id: 'session-resume-at',
    title: 'resumeSessionAt goes on from an earlier message',
    script: counting,
    async run({ ask, resultOf, api }) {
      const lines = await ask('the first question');
      const answer = lines.find(({ type }) => type === 'assistant');
      const resume = lines[0]?.session_id;
      await resultOf('a wrong turn', { resume });
      await resultOf('once more', { resume, resumeSessionAt: answer?.uuid });
      const text = conversationText(api.requests[2]);
      assert.match(text, /the first question[\s\S]*Answer 1[\s\S]*once more/);
      assert.doesNotMatch(text, /a wrong turn/);
    },
  },
  {
    id: 'session-id',
    title: 'sessionId names the new session',
    script: counting,
    async run({ resultOf, home }) {
      const sessionId = randomUUID();
      assert.equal((await resultOf('hi', { sessionId })).session_id, sessionId);
      assert(existsSync(transcript(home, sessionId)));
    },
  },
  {
    id: 'session-id-taken',
    title: 'an id that is taken is an error',
    script: counting,
    async run({ ask, resultOf }) {
      const { session_id: sessionId } = await resultOf('hi');
      await assert.rejects(ask('hi', { sessionId }), /exited with code 1/);
    },
  },
  {
    id: 'session-unknown',
    title: 'a session that is not there is an error result that says so',
    async run({ ask }) {
      const result = (await ask('hi', { resume: randomUUID() })).find(isResult);
      assert.equal(result?.subtype, 'error_during_execution');
      assert.match(String(result?.errors), /No conversation found with session ID/);
    },
  },
  {
    id: 'session-not-kept',
    title: 'persistSession: false leaves nothing to resume',
    script: counting,
    async run({ ask, resultOf, home }) {
      const { session_id: resume } = await resultOf('hi', { persistSession: false });
      assert.deepEqual(transcripts(home), []);
      assert.equal((await ask('hi', { resume })).find(isResult)?.is_error, true);
    },
  },
  {
    id: 'session-init-per-turn',
    title: 'the session id is the same in every turn, also in a resumed process',
    script: counting,
    async run({ start, resultOf }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input);
      input.push(user('one'));
      const { session_id } = await nextResult(run);
      input.push(user('two'));
      assert.equal((await nextResult(run)).session_id, session_id);
      input.end();
      await drain(run);
      assert.equal((await resultOf('three', { resume: session_id })).session_id, session_id);
    },
  },
  {
    id: 'rewind-files',
    title: 'rewindFiles() puts files back, and with dryRun only says what it would do',
    script: (_request, index) =>
      index === 0 ? toolUse('Write', { file_path: 'notes.txt', content: 'second\n' }) : 'Done.',
    async run({ start, cwd }) {
      const file = join(cwd, 'notes.txt');
      const uuid = randomUUID();
      const input = new Channel<SDKUserMessage>();
      const run = start(input, {
        enableFileCheckpointing: true,
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        extraArgs: { 'replay-user-messages': null },
      });
      input.push(user('write it', { uuid }));
      await nextResult(run);
      assert.equal(readFileSync(file, 'utf8'), 'second\n');
      const plan = await run.rewindFiles(uuid, { dryRun: true });
      assert.equal(plan.canRewind, true);
      assert.deepEqual(plan.filesChanged, [file]);
      assert.equal(readFileSync(file, 'utf8'), 'second\n');
      assert.equal((await run.rewindFiles(uuid)).canRewind, true);
      assert(!existsSync(file));
      input.end();
      await drain(run);
    },
  },
  {
    id: 'rewind-resumed',
    title: 'rewindFiles() works after a resume',
    script: (_request, index) =>
      [toolUse('Read', { file_path: 'notes.txt' }), toolUse('Write', { file_path: 'notes.txt', content: 'second\n' })][
        index
      ] ?? 'Done.',
    async run({ start, ask, cwd }) {
      const file = join(cwd, 'notes.txt');
      writeFileSync(file, 'first\n');
      const uuid = randomUUID();
      async function* prompts() {
        yield user('change it', { uuid });
      }
      const checkpoints = { enableFileCheckpointing: true, permissionMode: 'acceptEdits' } as const;
      const resume = (await ask(prompts(), checkpoints))[0]?.session_id;
      assert.equal(readFileSync(file, 'utf8'), 'second\n');
      const run = start(new Channel<SDKUserMessage>(), { ...checkpoints, resume });
      assert.equal((await run.rewindFiles(uuid)).canRewind, true);
      assert.equal(readFileSync(file, 'utf8'), 'first\n');
    },
  },
  {
    id: 'rewind-without',
    title: 'rewindFiles() without checkpoints says that it cannot',
    script: counting,
    async run({ start }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input);
      const uuid = randomUUID();
      input.push(user('hi', { uuid }));
      await nextResult(run);
      const refused = await run.rewindFiles(uuid, { dryRun: true }).then(
        ({ canRewind, error }) => !canRewind && error !== undefined,
        () => true,
      );
      assert(refused);
      input.end();
    },
  },
];

function transcripts(home: string): string[] {
  const folder = join(home, 'projects');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(folder, name));
}

function transcript(home: string, id: string | undefined): string {
  return transcripts(home).find((file) => file.endsWith(`${id}.jsonl`)) ?? '';
}
