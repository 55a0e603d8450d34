import { dirname, join } from 'node:path';
import type { Ids } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';
import { forkedEntries } from './fork-entries.ts';
import { nodeNamed } from './named-node.ts';
import type { FoundSession } from './session-files.ts';
import { openTranscript, writeToFile } from './transcript-file.ts';
import { readTranscript } from './transcript-reader.ts';
import { sessionSummary } from './transcript-summary.ts';
import { activeLeaf, readTree } from './tree.ts';

export interface ForkOptions {
  ids: Ids;
  /** Copy the branch that ends in this message; without it the active one. */
  upToMessageId?: string;
  /** Default: that of the source, with a word that it is a fork. */
  title?: string;
}

/**
 * Copies a branch to a new session beside the source, which is not touched (ruling K30). Messages get new uuids, and
 * `forkedFrom` with the old ones. Checkpoints, costs and subagents stay behind.
 */
export async function forkSession(source: FoundSession, options: ForkOptions): Promise<FoundSession> {
  const { ids, upToMessageId } = options;
  const tree = await readTree(readTranscript(source.path));
  const leaf = upToMessageId === undefined ? activeLeaf(tree).leaf : nodeNamed(tree, upToMessageId);
  if (leaf === null) {
    throw new HeddleError('session_not_found', `There is nothing to fork: ${source.path} holds no message`);
  }
  const sessionId = ids.uuid();
  const path = join(dirname(source.path), `${sessionId}.jsonl`);
  const entries = forkedEntries(tree, leaf.id, { from: source.sessionId, to: sessionId, newUuid: () => ids.uuid() });
  const customTitle = options.title?.trim() || forkTitle(source);
  const file = openTranscript(path, { write: writeToFile });
  try {
    file.append([...entries, { type: 'custom-title', customTitle, sessionId }]);
  } finally {
    file.close();
  }
  return { sessionId, path };
}

function forkTitle({ path }: FoundSession): string {
  return `${sessionSummary(path)?.summary || 'untitled'} (fork)`;
}
