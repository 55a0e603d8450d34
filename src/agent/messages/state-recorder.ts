import type { JsonObject } from '../../util/json.ts';
import type { EntryDestination, EntryWriter } from './entry-writer.ts';

/** Records the state of a session, for the process that resumes it. The last entry of each kind counts. */
export interface StateRecorder {
  /** Records a change of the permission mode. */
  mode(mode: string): Promise<void>;
  /** Records the cost of the session so far, once per turn. */
  cost(cost: JsonObject): Promise<void>;
  /** Records the title of the session. */
  title(title: string): Promise<void>;
  /** Records the current end of the conversation, from which a resume continues. */
  leaf(lastPrompt: string): Promise<void>;
}

export function createStateRecorder({ key, chain }: EntryDestination, { append }: EntryWriter): StateRecorder {
  const { sessionId } = key;
  return {
    async mode(mode) {
      await append(chain.leaf, { type: 'mode', mode, sessionId });
    },
    async cost(cost) {
      await append(chain.leaf, { type: 'cost-state', sessionId, ...cost });
    },
    async title(customTitle) {
      await append(chain.leaf, { type: 'custom-title', customTitle, sessionId });
    },
    async leaf(lastPrompt) {
      const { leaf } = chain;
      if (leaf !== null) await append(leaf, { type: 'last-prompt', lastPrompt, leafUuid: leaf, sessionId });
    },
  };
}
