import type { JsonObject } from '../../util/json.ts';
import type { Transport } from '../../wire/link/transport.ts';
import type { SessionHost } from '../../wire/messages/heddle.ts';

export type HostRole = 'drive' | 'watch';

export interface HostDetails {
  id: string;
  role: HostRole;
  name: string;
  since: string;
  /** How much text may wait for this host. Infinity: the session waits for it instead. */
  patience: number;
}

/**
 * One host of a shared session. A host that reads slowly holds up neither the session nor the others: what it has not
 * read waits for it, and when that is too much the host has to go; it can come again and get the lines it has missed.
 */
export class AttachedHost {
  readonly details: HostDetails;
  readonly #transport: Transport;
  readonly #onGone: (reason: string | null) => void;
  #waiting: { line: JsonObject; chars: number }[] = [];
  #chars = 0;
  #isFull = false;
  #isGone = false;
  #draining: Promise<void> = Promise.resolve();

  /** `onGone` is called once, when the host does not read any more; with a reason where it had to go. */
  constructor(transport: Transport, details: HostDetails, onGone: (reason: string | null) => void) {
    this.#transport = transport;
    this.details = details;
    this.#onGone = onGone;
  }

  get drives(): boolean {
    return this.details.role === 'drive';
  }

  /** Whether the session waits for this host to read. */
  get isAwaited(): boolean {
    return this.details.patience === Number.POSITIVE_INFINITY;
  }

  describe(): SessionHost {
    const { id, role, name, since } = this.details;
    return { host_id: id, role, name, since };
  }

  /** Never rejects. A promise only for a host that the session waits for. */
  send(line: JsonObject, chars: number): Promise<void> | undefined {
    if (this.#isGone) return undefined;
    if (this.#isFull) {
      this.#waiting.push({ line, chars });
      this.#chars += chars;
      if (this.#chars > this.details.patience) this.#go('It read too slowly; it can attach again');
      return undefined;
    }
    const room = this.#write(line);
    if (!room) return undefined;
    if (this.isAwaited) return room.catch(() => this.#go(null));
    this.#isFull = true;
    this.#draining = this.#drain(room);
    return undefined;
  }

  /** Resolves when everything that was sent so far is on its way, or the host is gone. */
  async flushed(): Promise<void> {
    await this.#draining;
  }

  /** Nothing is sent any more. */
  release(): void {
    this.#isGone = true;
    this.#waiting = [];
  }

  async #drain(room: Promise<void>): Promise<void> {
    try {
      await room;
      for (let next = this.#waiting.shift(); next && !this.#isGone; next = this.#waiting.shift()) {
        this.#chars -= next.chars;
        await this.#write(next.line);
      }
      this.#isFull = false;
    } catch {
      this.#go(null); // it is gone
    }
  }

  #write(line: JsonObject): Promise<void> | undefined {
    return this.#transport.write(line);
  }

  #go(reason: string | null): void {
    if (this.#isGone) return;
    this.release();
    this.#onGone(reason);
  }
}

/** The requests that change nothing: hosts that only watch may send them. */
const READING: ReadonlySet<string> = new Set([
  'branches',
  'explain_permission',
  'get_binary_version',
  'get_context_usage',
  'get_hooks_listing',
  'get_session_cost',
  'get_settings',
  'get_task_output',
  'get_usage',
  'list_models',
  'list_permission_rules',
  'mcp_status',
  'session_messages',
  'session_tree',
]);

/** Whether a watcher may send this request. */
export function mayWatcherAsk(subtype: string): boolean {
  return READING.has(subtype);
}
