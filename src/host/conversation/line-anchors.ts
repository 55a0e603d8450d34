import { HeddleError } from '../../wire/errors.ts';
import type { Message } from '../../wire/messages/index.ts';

/** About a megabyte. */
const MAX_ANCHORS = 10_000;

/** Remembers, for lines of this run that are no entries, the last entry before each, so that hosts can name these lines. */
export class LineAnchors {
  readonly #entries = new Map<string, string>();
  readonly #branch: { readonly leaf: string | null };

  constructor(branch: { readonly leaf: string | null }) {
    this.#branch = branch;
  }

  /** Called for each line that is sent. */
  remember(line: Message): void {
    const { type, uuid } = line as { type: string; uuid?: unknown };
    const { leaf } = this.#branch;
    if ((type !== 'result' && type !== 'system') || typeof uuid !== 'string' || leaf === null) return;
    this.#entries.set(uuid, leaf);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ANCHORS && oldest !== undefined) this.#entries.delete(oldest);
  }

  has(uuid: string): boolean {
    return this.#entries.has(uuid);
  }

  /** The uuid of the entry that a line stands for; an entry stands for itself. */
  entryOf(uuid: string): string {
    return this.#entries.get(uuid) ?? uuid;
  }
}

/** The error for a uuid that no message and no line of the session has. */
export function unknownParent(uuid: string, cause: unknown): HeddleError {
  const message = `No message of this session has the uuid ${uuid}; nothing was sent`;
  return new HeddleError('unknown_parent', message, { facts: { uuid }, cause });
}
