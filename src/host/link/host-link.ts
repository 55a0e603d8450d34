import type { Ask } from '../../agent/calls/gate.ts';
import type { CallHost } from '../../mcp/sdk-bridge.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Peer } from '../../wire/link/peer.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { Outbox } from './outbox.ts';
import { askOverControl } from './permission-question.ts';

/** Everything that a session sends to its host or asks of it. */
export class HostLink {
  readonly outbox: Outbox;
  readonly #asksHost: boolean;
  #peer: Peer | null = null;
  #askTool: Ask | null = null;

  constructor(outbox: Outbox, { asksHost }: { asksHost: boolean }) {
    this.outbox = outbox;
    this.#asksHost = asksHost;
  }

  /** Sends a line, in order. Undefined when nothing has to be waited for. */
  send(line: Message): Promise<void> | undefined {
    return this.outbox.send(line);
  }

  /** Asks the host, or the tool of `--permission-prompt-tool`; null when neither answers permission questions. */
  get ask(): Ask | null {
    return this.#asksHost && this.#peer ? askOverControl(this.#peer, this.outbox) : this.#askTool;
  }

  /** Permission questions go to a tool of an MCP server. The code that opens a session calls this, once. */
  askWith(askTool: Ask): void {
    if (this.#askTool) throw new Error('Permission questions go to a tool already');
    this.#askTool = askTool;
  }

  /** Sends a control request to the host. Rejects as long as there is no connection to it. */
  readonly call: CallHost = (request, options) =>
    this.#peer?.call(request, options) ?? Promise.reject(new Error('There is no host to ask'));

  /** Sets the connection over which the host can be asked. */
  attach(peer: Peer): void {
    this.#peer = peer;
  }

  /** Tells the host that its open questions need no answer any more. */
  withdrawQuestions(): void {
    this.#peer?.cancel('can_use_tool');
    this.#peer?.cancel('elicitation');
  }

  /** The questions of this kind to the host that are still open. */
  pending(subtype: string): JsonObject[] {
    return this.#peer?.unanswered(subtype) ?? [];
  }
}
