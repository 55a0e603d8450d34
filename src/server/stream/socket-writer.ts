import type { WebSocket } from 'ws';

/** So much may wait for a client before lines come from the log again. */
const MOST_WAITING = 256 * 1024;
/** What is not in the log waits for it, up to this. */
const TOO_MUCH = 4 * 1024 * 1024;
const STALLED_MS = 60_000;
const LOOK_MS = 20;
const PING_MS = 20_000;

/** Writes to a WebSocket, notices when its client stands still or is gone, and closes it when its token is revoked. */
export class SocketWriter {
  readonly #socket: WebSocket;
  #missed = 0;

  constructor(socket: WebSocket, isValid: () => Promise<boolean>) {
    this.#socket = socket;
    const beat = setInterval(() => {
      if (++this.#missed > 2) socket.terminate();
      else socket.ping();
      isValid().then(
        (is) => is || this.close(4401, 'The token was revoked'),
        () => {},
      );
    }, PING_MS);
    socket.on('pong', () => {
      this.#missed = 0;
    });
    socket.on('error', () => {}); // a frame that is refused; ws closes the socket with the reason
    socket.once('close', () => clearInterval(beat));
  }

  /** False: there is no room for more. */
  write(text: string): boolean {
    const { readyState, OPEN, bufferedAmount } = this.#socket;
    if (readyState !== OPEN) return true;
    if (bufferedAmount > TOO_MUCH) this.#socket.terminate();
    else this.#socket.send(text, () => {});
    return this.#socket.bufferedAmount < MOST_WAITING;
  }

  /** Rejects when the client is gone; one that stands still is cut off. */
  async room(): Promise<void> {
    const since = performance.now();
    while (this.#socket.bufferedAmount >= MOST_WAITING) {
      if (this.#socket.readyState !== this.#socket.OPEN) throw new Error('The client is gone');
      if (performance.now() - since > STALLED_MS) this.#socket.terminate();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }
}
