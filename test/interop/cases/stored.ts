import assert from 'node:assert/strict';
import { textsOf } from '../../support/lines.ts';
import { conversationText } from '../../support/requests.ts';
import type { InteropCase } from '../case.ts';

const counting = (_request: unknown, index: number) => `Answer ${index + 1}.`;

/** The functions of the SDK that read and change session files: ours, without a process. */
const cases: Omit<InteropCase, 'only' | 'script'>[] = [
  {
    id: 'stored-list',
    title: 'listSessions() finds our sessions',
    async run({ sdk, resultOf, cwd }) {
      const { session_id } = await resultOf('What is a heddle?');
      const [found, ...others] = await sdk.listSessions({ dir: cwd });
      assert.deepEqual(others, []);
      assert.equal(found?.sessionId, session_id);
      assert.equal(found?.firstPrompt, 'What is a heddle?');
      assert.equal(found?.cwd, cwd);
    },
  },
  {
    id: 'stored-info',
    title: 'getSessionInfo() knows one of them',
    async run({ sdk, resultOf, cwd }) {
      const { session_id = '' } = await resultOf('What is a heddle?');
      assert.equal((await sdk.getSessionInfo(session_id, { dir: cwd }))?.sessionId, session_id);
    },
  },
  {
    id: 'stored-messages',
    title: 'getSessionMessages() has the conversation',
    async run({ sdk, resultOf, cwd }) {
      const { session_id = '' } = await resultOf('one');
      await resultOf('two', { resume: session_id });
      const messages = await sdk.getSessionMessages(session_id, { dir: cwd });
      const said = messages.map(({ type, message }) => `${type}: ${textsOf(message as { content: string }).join()}`);
      assert.deepEqual(said, ['user: one', 'assistant: Answer 1.', 'user: two', 'assistant: Answer 2.']);
    },
  },
  {
    id: 'stored-rename',
    title: 'renameSession() gives a title, and the session can still be resumed',
    async run({ sdk, resultOf, cwd }) {
      const { session_id = '' } = await resultOf('one');
      await sdk.renameSession(session_id, 'About looms', { dir: cwd });
      assert.equal((await sdk.getSessionInfo(session_id, { dir: cwd }))?.customTitle, 'About looms');
      assert.equal((await resultOf('two', { resume: session_id })).result, 'Answer 2.');
      assert.equal((await sdk.getSessionInfo(session_id, { dir: cwd }))?.customTitle, 'About looms');
    },
  },
  {
    id: 'stored-tag',
    title: 'tagSession() tags a session',
    async run({ sdk, resultOf, cwd }) {
      const { session_id = '' } = await resultOf('one');
      await sdk.tagSession(session_id, 'kept', { dir: cwd });
      assert.equal((await sdk.getSessionInfo(session_id, { dir: cwd }))?.tag, 'kept');
    },
  },
  {
    id: 'stored-fork',
    title: 'forkSession() makes a copy that our command line resumes',
    async run({ sdk, resultOf, cwd, api }) {
      const { session_id = '' } = await resultOf('one');
      const fork = await sdk.forkSession(session_id, { dir: cwd });
      assert.notEqual(fork.sessionId, session_id);
      assert.equal((await resultOf('two', { resume: fork.sessionId })).session_id, fork.sessionId);
      assert.match(conversationText(api.requests[1]), /one[\s\S]*Answer 1[\s\S]*two/);
    },
  },
  {
    id: 'stored-delete',
    title: 'deleteSession() removes a session',
    async run({ sdk, resultOf, cwd }) {
      const { session_id = '' } = await resultOf('one');
      await sdk.deleteSession(session_id, { dir: cwd });
      assert.deepEqual(await sdk.listSessions({ dir: cwd }), []);
    },
  },
];

export const storedCases: InteropCase[] = cases.map((each) => ({ ...each, only: '0.3.325', script: counting }));
