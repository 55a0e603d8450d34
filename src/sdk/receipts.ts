import { type JsonObject, stringField } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';

/** Whether the agent has taken a message: it says so of each that carries a uuid, or why not. */
export class Receipts {
  readonly #expected = new Map<string, { resolve(): void; reject(error: Error): void }>();

  /** Before the message is sent. */
  expect(uuid: string): Promise<void> {
    const receipt = new Promise<void>((resolve, reject) => this.#expected.set(uuid, { resolve, reject }));
    receipt.catch(() => {}); // who sends it may fail before anybody waits for this
    return receipt;
  }

  /** Whether a line was only the refusal of a message that somebody waits for: it is told to them. */
  settle(line: object): boolean {
    const { type, subtype } = line as JsonObject;
    if (type === 'command_lifecycle') this.#take(stringField(line, 'command_uuid'))?.resolve();
    if (type !== 'system' || subtype !== 'input_error') return false;
    const refused = this.#take(stringField(line, 'input_uuid'));
    const code = stringField(line, 'error_code') === 'unknown_parent' ? 'unknown_parent' : 'invalid_option';
    refused?.reject(new HeddleError(code, stringField(line, 'error') ?? 'The message was not taken'));
    return refused !== undefined;
  }

  /** Nothing more will be heard. */
  fail(error: Error): void {
    for (const { reject } of this.#expected.values()) reject(error);
    this.#expected.clear();
  }

  #take(uuid: string | undefined) {
    const waiting = uuid === undefined ? undefined : this.#expected.get(uuid);
    if (uuid !== undefined) this.#expected.delete(uuid);
    return waiting;
  }
}
