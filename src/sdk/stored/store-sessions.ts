import { isSessionId } from '../../sessions/files/session-paths.ts';
import type { Loaded, SessionKey, SessionStore } from '../../sessions/store.ts';
import { forkedEntries } from '../../sessions/stored/fork-entries.ts';
import { type MessagesOptions, messagesOf, type SessionMessage } from '../../sessions/stored/messages.ts';
import { findMessage, type StoredSession, storedSession } from '../../sessions/stored/stored-session.ts';
import { branchesOf, lastPromptOf, sessionTree } from '../../sessions/stored/tree-pages.ts';
import { type StoredSummary, storeSummary } from '../../sessions/stores/list-store.ts';
import { activeLeaf, pathTo } from '../../sessions/tree/build-tree.ts';
import { nodeNamed } from '../../sessions/tree/find-node.ts';
import type { Branch, SessionTree } from '../../wire/control/index.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import { randomIds } from './stored-runtime.ts';

/** One session of a store, with the operations for the functions of `sessions.ts`. */
export interface StoreSession {
  /** Undefined when the store does not have the session; the other methods then reject with `session_not_found`. */
  info(): Promise<StoredSummary | undefined>;
  messages(options: MessagesOptions): Promise<SessionMessage[]>;
  /** Rejects with `not_supported` where the store cannot list subagents. */
  subagents(): Promise<string[]>;
  subagentMessages(agentId: string, options: MessagesOptions): Promise<SessionMessage[]>;
  append(entry: Entry): Promise<void>;
  fork(options: { upToMessageId?: string | undefined; title?: string | undefined }): Promise<{ sessionId: string }>;
  /** Rejects with `not_supported` where the store cannot delete. */
  remove(): Promise<void>;
  tree(): Promise<SessionTree>;
  branches(): Promise<Branch[]>;
  switchTo(leaf: string): Promise<{ leaf: string }>;
}

/** Throws `invalid_option` for a value that is not a session id. */
export function storeSession(store: SessionStore, asked: SessionKey): StoreSession {
  const { sessionId } = asked;
  if (!isSessionId(sessionId)) {
    throw new HeddleError('invalid_option', `Not a session id: ${JSON.stringify(sessionId)}. It must be a UUID.`);
  }
  /** In the project of the key, else in any other project. */
  const find = async (): Promise<SessionKey | null> =>
    (await store.exists(asked)) ? asked : ((await store.find?.(sessionId)) ?? null);
  const found = async (): Promise<SessionKey> => {
    const key = await find();
    if (key) return key;
    throw new HeddleError('session_not_found', `No conversation found with session ID: ${sessionId}`);
  };
  const whole = async (key: SessionKey): Promise<StoredSession> => {
    const loaded: Loaded[] = [];
    for await (const item of store.load(key)) loaded.push(item);
    return storedSession({ sessionId, path: store.locate?.(key) ?? '' }, loaded);
  };
  const leafOf = ({ tree }: StoredSession) => activeLeaf(tree).leaf?.id ?? null;

  return {
    async info() {
      const key = await find();
      return (key && (await storeSummary(store, key))) ?? undefined;
    },
    async messages(options) {
      return messagesOf(store.load(await found()), sessionId, options);
    },
    async subagents() {
      const key = await found();
      if (store.subagents) return store.subagents(key);
      throw new HeddleError('not_supported', 'This session store cannot list subagents');
    },
    async subagentMessages(agentId, options) {
      const key = { ...(await found()), agentId };
      if (await store.exists(key)) return messagesOf(store.load(key), sessionId, options);
      const message = `No subagent '${agentId}' in this session`;
      throw new HeddleError('session_not_found', message, { facts: { agentId } });
    },
    async append(entry) {
      await store.append(await found(), [entry]);
    },
    async fork({ upToMessageId, title }) {
      const key = await found();
      const { tree } = await whole(key);
      const leaf = upToMessageId === undefined ? activeLeaf(tree).leaf : nodeNamed(tree, upToMessageId);
      if (leaf === null) throw new HeddleError('session_not_found', `There is nothing to fork in ${sessionId}`);
      const ids = randomIds();
      const to = ids.uuid();
      const entries = forkedEntries(tree, leaf.id, { from: sessionId, to, newUuid: () => ids.uuid() });
      const summary = (await storeSummary(store, key))?.summary || 'untitled';
      const customTitle = title?.trim() || `${summary} (fork)`;
      const copy = [...entries, { type: 'custom-title', customTitle, sessionId: to }];
      await store.append({ project: key.project, sessionId: to }, copy);
      return { sessionId: to };
    },
    async remove() {
      const key = await found();
      if (!store.remove) throw new HeddleError('not_supported', 'This session store deletes nothing');
      await store.remove(key);
    },
    async tree() {
      const session = await whole(await found());
      return sessionTree(session.tree, leafOf(session));
    },
    async branches() {
      const session = await whole(await found());
      return branchesOf(session.tree, leafOf(session), session.summaries);
    },
    async switchTo(leaf) {
      const key = await found();
      const session = await whole(key);
      const { id } = findMessage(session, leaf);
      if (leafOf(session) === id) return { leaf: id };
      const lastPrompt = lastPromptOf(pathTo(session.tree, id)).slice(0, MAX_PROMPT);
      await store.append(key, [{ type: 'last-prompt', lastPrompt, leafUuid: id, sessionId }]);
      return { leaf: id };
    },
  };
}

/** Long enough to recognise the session. */
const MAX_PROMPT = 200;
