import { dirname, join } from 'node:path';
import type { Ids } from '../../util/runtime.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { LocatedSession } from '../files/session-files.ts';
import { openTranscript, writeToFile } from '../files/transcript-file.ts';
import { readTranscript } from '../files/transcript-reader.ts';
import { sessionSummary } from '../files/transcript-summary.ts';
import { activeLeaf, readTree } from '../tree/build-tree.ts';
import { nodeNamed } from '../tree/find-node.ts';
import { forkedEntries } from './fork-entries.ts';

export interface ForkOptions {
  ids: Ids;
  /** Copies the branch that ends in this message; absent: the active one. */
  upToMessageId?: string;
  /** Default: the title of the source, marked as a fork. */
  title?: string;
}

/**
 * Copies a branch to a new session in the folder of the source, which is not changed. Messages get new uuids, and
 * `forkedFrom` with the old ones. Checkpoints, costs and subagents are not copied.
 */
export async function forkSession(source: LocatedSession, options: ForkOptions): Promise<LocatedSession> {
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

function forkTitle({ path }: LocatedSession): string {
  return `${sessionSummary(path)?.summary || 'untitled'} (fork)`;
}
