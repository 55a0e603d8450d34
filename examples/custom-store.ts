// Sessions in a store of one's own: here lists of texts under keys, as a database has them. The agent runs in a process
// of its own and keeps nothing on its disk; every entry comes here, and is acknowledged before the agent goes on.
import { createSession, HeddleError, resumeSession } from 'heddle';
import type { Entry, SessionKey, SessionStore } from 'heddle/engine';
import { storeCases } from 'heddle/testing';

/** In place of a database: what it holds is text, so nothing that is handed out can change what is stored. */
class Database {
  /** In the order of the last writing. */
  readonly lists = new Map<string, { texts: string[]; lastModified: number }>();

  async pushAll(key: string, texts: string[]): Promise<void> {
    const before = this.lists.get(key)?.texts ?? [];
    this.lists.delete(key);
    this.lists.set(key, { texts: [...before, ...texts], lastModified: Date.now() });
  }
}

function databaseStore(database: Database): SessionStore {
  const keyOf = ({ project, sessionId, agentId }: SessionKey) => JSON.stringify([project, sessionId, agentId ?? null]);
  const entriesOf = (key: SessionKey) =>
    (database.lists.get(keyOf(key))?.texts ?? []).map((text) => JSON.parse(text) as Entry);
  /** One thing after the other: `append` is to keep the order of its calls. A queue for each key would do. */
  let last: Promise<unknown> = Promise.resolve();

  return {
    append(key, entries) {
      const appended = last.then(async () => {
        // The uuid is what makes an entry the same: one that is there is not stored again.
        const known = new Set(entriesOf(key).map(({ uuid }) => uuid));
        const texts: string[] = [];
        for (const entry of entries) {
          const isThere = typeof entry.uuid === 'string' && entry.uuid !== '' && known.has(entry.uuid);
          known.add(entry.uuid);
          if (!isThere) texts.push(toText(entry));
        }
        // All of them or none, and only then is it done.
        if (texts.length > 0) await database.pushAll(keyOf(key), texts);
      });
      last = appended.catch(() => {});
      return appended;
    },

    async *load(key) {
      for (const [at, entry] of entriesOf(key).entries()) yield { entry, line: at + 1 };
    },

    exists: async (key) => database.lists.has(keyOf(key)),

    /** The newest first, without the transcripts of subagents. */
    async list(project) {
      return [...database.lists].reverse().flatMap(([key, { lastModified }]) => {
        const [of, sessionId, agentId] = JSON.parse(key) as [string, string, string | null];
        return of === project && agentId === null ? [{ sessionId, lastModified }] : [];
      });
    },
  };
}

/** What JSON cannot hold must be refused, not stored in part. */
function toText(entry: Entry): string {
  try {
    return JSON.stringify(entry);
  } catch (cause) {
    throw new HeddleError('storage_failed', 'An entry is not JSON', { cause });
  }
}

const options = { model: 'offline', allowedTools: ['Bash'], sessionStore: databaseStore(new Database()) };
const first = createSession(options);
try {
  console.log((await first.ask('run: echo kept by the host')).text);
} finally {
  await first.close();
}

// Another process, the same conversation: all it knows comes from the store.
const second = resumeSession(first.sessionId, options);
try {
  await second.ask('run: echo and gone on with');
  const { nodes } = await second.tree();
  const prompts = nodes.filter(({ type, preview }) => type === 'user' && preview?.startsWith('run: '));
  console.log(prompts.map(({ preview }) => preview).join(', '));
} finally {
  await second.close();
}

// The contract, as cases for any test framework. What a store leaves out is not asked for.
const cases = storeCases();
for (const { run } of cases) await run(async () => databaseStore(new Database()));
console.log(`keeps its promises: ${cases.length > 30}`);
