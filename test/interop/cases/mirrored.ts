import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import type { Options, SessionStore } from '../../../src/sdk/index.ts';
import { type FakeApiRequest, toolUse } from '../../../src/testing/index.ts';
import { cast, task } from '../../support/cast.ts';
import type { Line } from '../../support/lines.ts';
import { ReferenceStore } from '../../support/reference-store.ts';
import { conversationText } from '../../support/requests.ts';
import { readEntries, sessionFiles } from '../../support/session-files.ts';
import type { InteropCase } from '../case.ts';
import type { Rig } from '../rig.ts';

const script = () =>
  cast<FakeApiRequest>({
    MAIN: [task('CHILD go'), 'All done.', 'Again.'],
    CHILD: [toolUse('Bash', { command: 'echo there' }), 'Tried it.'],
  });

/** Stores of the host, which the SDK feeds with what our command line mirrors. */
export const mirroredCases: InteropCase[] = [
  {
    id: 'store-mirror',
    title: 'sessionStore gets every entry of the session and of its agents, in their order',
    only: '0.3.325',
    script: script(),
    run: (rig) => mirrorsAll(rig, { home: rig.home }),
  },
  {
    id: 'store-eager',
    title: 'and so it does with sessionStoreFlush: eager, and where our config home is not the one of the host',
    only: '0.3.325',
    script: script(),
    async run(rig) {
      const { CLAUDE_CONFIG_DIR: _, ...rest } = rig.env;
      const env = { ...rest, HOME: process.env.HOME ?? '' };
      await mirrorsAll(rig, { home: rig.home, options: { env, ...({ sessionStoreFlush: 'eager' } as Options) } });
    },
  },
  {
    id: 'store-resume',
    title: 'a session that only the store has is resumed from it, and what follows goes there, too',
    only: '0.3.325',
    script: script(),
    async run(rig) {
      const store = new ReferenceStore();
      const sessionStore = store as unknown as SessionStore;
      const first = await rig.ask('MAIN go', { sessionStore, allowedTools: ['Bash'] });
      rmSync(rig.home, { recursive: true });
      const resume = first.at(-1)?.session_id ?? '';
      const before = store.entries(mainKey(store)).length;
      const second = await rig.ask('on', { sessionStore, resume });
      assert.deepEqual([second.at(-1)?.session_id, second.at(-1)?.result], [resume, 'Again.']);
      assert.match(conversationText(rig.api.requests.at(-1)), /MAIN go[\s\S]*All done\.[\s\S]*on/);
      const added = store.entries(mainKey(store)).slice(before);
      assert(added.some(({ type }) => type === 'user') && added.some(({ type }) => type === 'assistant'));
    },
  },
];

async function mirrorsAll(rig: Rig, { home, options }: { home: string; options?: Options }): Promise<void> {
  const store = new ReferenceStore();
  const more = { sessionStore: store as unknown as SessionStore, allowedTools: ['Bash'], ...options };
  const lines = await rig.ask('MAIN go', more);
  assert.equal(lines.at(-1)?.result, 'All done.');
  assert(!lines.some(({ type }) => type === 'transcript_mirror'));
  const files = sessionFiles({ home });
  assert.equal(files.length, 2);
  const onDisk = files.map((file) => withoutMeta(readEntries(file)));
  const mirrored = [subKey(store), mainKey(store)].map((key) => withoutMeta(store.entries(key)));
  const byLength = (a: unknown[], b: unknown[]) => a.length - b.length;
  assert.deepEqual(mirrored.sort(byLength), onDisk.sort(byLength));
  const agentFile = files.find((file) => file.includes('/subagents/')) ?? '';
  assert.equal(subKey(store).subpath, `subagents/${basename(agentFile, '.jsonl')}`);
}

/** What is told of an agent beside its transcript has a file of its own. */
const withoutMeta = (entries: { type: string }[]) => entries.filter(({ type }) => type !== 'agent_metadata') as Line[];

const mainKey = (store: ReferenceStore) => found(store.keys().find(({ subpath }) => subpath === undefined));
const subKey = (store: ReferenceStore) => found(store.keys().find(({ subpath }) => subpath !== undefined));

function found<T>(key: T | undefined): T {
  assert(key, 'The store has no such key');
  return key;
}
