import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { foldSessionSummary, SessionKey, SessionStore, SessionSummaryEntry } from '../../../src/sdk/index.ts';
import { conversationText } from '../../support/requests.ts';
import type { InteropCase } from '../case.ts';
import type { Rig } from '../rig.ts';

const counting = (_request: unknown, index: number) => `Answer ${index + 1}.`;

/** What has been added for sessions that are kept: archives, stores of hosts, resumes that look before they drop. */
const cases: Omit<InteropCase, 'only' | 'script'>[] = [
  {
    id: 'resume-drops-turn',
    title: 'resumeDropsTurn drops the turn that it names, and refuses to drop another',
    async run({ ask, resultOf, sdk, cwd, api }) {
      const lines = await ask('the first');
      const resume = lines.at(-1)?.session_id ?? '';
      const resumeSessionAt = lines.findLast(({ type }) => type === 'assistant')?.uuid;
      await resultOf('the second', { resume });
      const prompts = (await sdk.getSessionMessages(resume, { dir: cwd })).filter(({ type }) => type === 'user');
      const back = { resume, ...(resumeSessionAt && { resumeSessionAt }) };
      const refused = await resultOf('instead', { ...back, resumeDropsTurn: prompts[0]?.uuid ?? '' });
      assert.equal(refused.subtype, 'error_during_execution');
      assert.match(String((refused.errors as string[])[0]), /^Resume rejected by --resume-drops-turn:/);
      assert.equal((await resultOf('instead', { ...back, resumeDropsTurn: prompts[1]?.uuid ?? '' })).is_error, false);
      assert.doesNotMatch(conversationText(api.requests.at(-1)), /the second/);
    },
  },
  {
    id: 'stored-archive',
    title: 'archiveSession() marks a session, a prompt takes the mark away, and so does unarchiveSession()',
    async run({ sdk, resultOf, cwd }) {
      const { session_id = '' } = await resultOf('one');
      const isArchived = async () =>
        (await sdk.listSessions({ dir: cwd })).find(({ sessionId }) => sessionId === session_id)?.archived === true;
      await sdk.archiveSession(session_id, { dir: cwd });
      assert(await isArchived());
      await resultOf('two', { resume: session_id });
      assert(!(await isArchived()));
      await sdk.archiveSession(session_id, { dir: cwd });
      await sdk.unarchiveSession(session_id, { dir: cwd });
      assert(!(await isArchived()));
    },
  },
  {
    id: 'stored-import',
    title: 'importSessionToStore() copies one of our sessions, and foldSessionSummary() makes the list of the store',
    async run(rig) {
      const { sdk, resultOf, cwd } = rig;
      const { session_id = '' } = await resultOf('What is a heddle?');
      const { store, entries } = foldingStore(rig);
      await sdk.importSessionToStore(session_id, store, { dir: cwd });
      assert(entries().some(({ type }) => type === 'assistant'));
      const [listed] = await sdk.listSessions({ dir: cwd, sessionStore: store });
      assert.deepEqual([listed?.sessionId, listed?.firstPrompt], [session_id, 'What is a heddle?']);
    },
  },
  {
    id: 'load-timeout',
    title: 'a store that never loads ends the run after loadTimeoutMs',
    async run(rig) {
      const { store } = foldingStore(rig);
      const hanging = { ...store, load: () => new Promise<never>(() => {}) } as unknown as SessionStore;
      const options = { resume: randomUUID(), sessionStore: hanging, loadTimeoutMs: 200 };
      await assert.rejects(rig.ask('hi', options));
    },
  },
];

export const laterStoredCases: InteropCase[] = cases.map((each) => ({ ...each, only: '0.3.325', script: counting }));

type Entry = Parameters<typeof foldSessionSummary>[2][number];

/** A store of the host, with the methods that the reference knows. It keeps a summary of each session as it grows. */
function foldingStore({ sdk }: Rig) {
  const kept = new Map<string, Entry[]>();
  const summaries = new Map<string, SessionSummaryEntry>();
  const store = {
    async append(key: SessionKey, entries: Entry[]) {
      kept.set(key.sessionId, [...(kept.get(key.sessionId) ?? []), ...entries]);
      const before = summaries.get(key.sessionId);
      summaries.set(key.sessionId, sdk.foldSessionSummary(before, key, entries, { mtime: Date.now() }));
    },
    load: async ({ sessionId }: SessionKey) => kept.get(sessionId) ?? null,
    listSessions: async () => [...kept.keys()].map((sessionId) => ({ sessionId, mtime: Date.now() })),
    listSessionSummaries: async () => [...summaries.values()],
  };
  return { store: store as unknown as SessionStore, entries: () => [...kept.values()].flat() };
}
