import { createHash, randomBytes } from 'node:crypto';
import type { TokenInfo } from '../ports/tokens.ts';

const LIFE_MS = 30_000;
const MOST = 1000;

/** One-time passwords for connections of pages, which can send no header: a token in an address would end up in logs. */
export class Tickets {
  readonly #now: () => number;
  readonly #open = new Map<string, { token: TokenInfo; until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  make(token: TokenInfo): { ticket: string; seconds: number } {
    for (const [hash, { until }] of this.#open) if (until < this.#now()) this.#open.delete(hash);
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MOST && oldest !== undefined) this.#open.delete(oldest);
    const ticket = randomBytes(32).toString('base64url');
    this.#open.set(hashOf(ticket), { token, until: this.#now() + LIFE_MS });
    return { ticket, seconds: LIFE_MS / 1000 };
  }

  /** Null: unknown, used or too old. */
  use(ticket: string): TokenInfo | null {
    const hash = hashOf(ticket);
    const found = this.#open.get(hash);
    this.#open.delete(hash);
    return found && found.until >= this.#now() ? found.token : null;
  }
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('hex');
}
