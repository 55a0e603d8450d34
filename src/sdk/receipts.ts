import { type JsonObject, stringField } from '../util/json.ts';
import type { RewindFilesResult } from '../wire/control/index.ts';
import { HeddleError } from '../wire/errors.ts';
import type { FilesRestoredMessage } from '../wire/messages/heddle.ts';
import { refusalIn, takenBack } from './message-fate.ts';

interface Expected {
  /** The message counts as accepted only after its files are restored. */
  wantsFiles: boolean;
  resolve(files?: RewindFilesResult): void;
  reject(error: Error): void;
}

/** Whether the agent accepted a message: the agent reports it for each message with a uuid, or reports the refusal. */
export class Receipts {
  readonly #expected = new Map<string, Expected>();

  /** Called before the message is sent. Resolves with the restored files, where the message asks for them. */
  expect(uuid: string, { wantsFiles = false } = {}): Promise<RewindFilesResult | undefined> {
    const receipt = new Promise<RewindFilesResult | undefined>((resolve, reject) => {
      this.#expected.set(uuid, { wantsFiles, resolve, reject });
    });
    receipt.catch(() => {}); // the send may fail before the caller awaits this
    return receipt;
  }

  /** Whether a line was only the refusal of a message that a caller waits for. The caller gets the error. */
  settle(line: object): boolean {
    const { type, subtype } = line as JsonObject;
    if (type === 'command_lifecycle') this.#follow(line);
    if (type === 'system' && subtype === 'files_restored') {
      const { canRewind, filesChanged, error, input_uuid: uuid } = line as FilesRestoredMessage;
      const files = { canRewind, ...(filesChanged && { filesChanged }), ...(error !== undefined && { error }) };
      this.#take(uuid)?.resolve(files);
    }
    const refused = refusalIn(line);
    const waiting = this.#take(refused?.uuid);
    if (refused) waiting?.reject(refused.error);
    return waiting !== undefined;
  }

  /** The connection is broken; no more messages arrive. */
  fail(error: Error): void {
    for (const { reject } of this.#expected.values()) reject(error);
    this.#expected.clear();
  }

  #follow(line: object): void {
    const uuid = stringField(line, 'command_uuid');
    const state = stringField(line, 'state');
    if (state === 'queued' && this.#expected.get(uuid ?? '')?.wantsFiles) return;
    const waiting = this.#take(uuid);
    if (state === 'cancelled') waiting?.reject(takenBack());
    else if (waiting?.wantsFiles) waiting.reject(notRestored());
    else waiting?.resolve();
  }

  #take(uuid: string | undefined): Expected | undefined {
    const waiting = uuid === undefined ? undefined : this.#expected.get(uuid);
    if (uuid !== undefined) this.#expected.delete(uuid);
    return waiting;
  }
}

/** The error when the turn has begun or ended without a report about the files. */
function notRestored(): HeddleError {
  return new HeddleError('other', 'The files were not brought back; the result of the turn says what went wrong');
}
