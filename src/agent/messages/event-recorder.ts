import type { Chain } from '../../sessions/tree/chain.ts';
import type { JsonObject } from '../../util/json.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { EntryWriter } from './entry-writer.ts';

/** Records what happens around the messages of a conversation. None of it is part of the conversation. */
export interface EventRecorder {
  /** How many entries the store has taken so far, or failed to take. What was read before is out of date with the next. */
  readonly written: number;
  /** Records a message that waits in the queue for the model, so that it is not lost when this process ends. */
  enqueue(content: string): Promise<void>;
  /** Records that a prompt was taken from the queue; the prompt itself is recorded later. */
  dequeue(): Promise<void>;
  /** Records a message that stays unanswered because the session ends. */
  cancel(input: UserInput): Promise<void>;
  /** Records a command that Heddle does not know. */
  unknownCommand(command: { content: string; uuid: string }): Promise<void>;
  /** Records that a hook was started. */
  progress(data: JsonObject, fields: { uuid: string; toolUseID: string }): Promise<void>;
  /** Records a fact about the conversation. */
  system(subtype: string, fields: JsonObject & { uuid: string }): Promise<void>;
}

export function createEventRecorder(chain: Chain, writer: EntryWriter): EventRecorder {
  const { append, appendNew } = writer;
  return {
    get written() {
      return writer.written;
    },
    async enqueue(content) {
      await append(chain.leaf, chain.queueOperation('enqueue', content));
    },
    async dequeue() {
      await append(chain.leaf, chain.queueOperation('dequeue'));
    },
    async cancel({ message: { content } }) {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      await append(chain.leaf, chain.queueOperation('enqueue', text), chain.queueOperation('remove'));
    },
    async unknownCommand({ content, uuid }) {
      const { leaf } = chain;
      const fields = { content, level: 'info', isMeta: false, uuid };
      await append(leaf, chain.queueOperation('dequeue'), chain.systemEntry('local_command', fields));
    },
    async progress(data, { uuid, toolUseID }) {
      const { leaf } = chain;
      await appendNew(leaf, chain.progressEntry(data, { uuid, toolUseID, parentToolUseID: toolUseID }));
    },
    async system(subtype, fields) {
      const { leaf } = chain;
      await appendNew(leaf, chain.systemEntry(subtype, fields));
    },
  };
}
