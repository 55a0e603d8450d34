import type { Clock } from '../../util/runtime.ts';
import type { Credential } from './credential.ts';

/** A credential, and until when it can be used. */
export interface ExpiringCredential {
  credential: Credential;
  /** Milliseconds since 1970; null: nobody said. */
  expires: number | null;
}

/** A source that is asked only when its last credential is about to expire. */
export interface ExpiringSource {
  credential(): Promise<Credential>;
  /** The next request asks again: the server has refused the credential. */
  forget(): void;
}

/** A credential is replaced before a long answer could outlive it. */
const EARLY_MS = 60_000;
/** For credentials of which nobody said how long they hold. */
const USUAL_MS = 300_000;

export function expiring(obtain: () => Promise<ExpiringCredential>, clock: Clock): ExpiringSource {
  let known: { pending: Promise<ExpiringCredential>; until: number } | null = null;
  return {
    async credential() {
      if (!known || clock.now() >= known.until) {
        const pending = obtain();
        const entry = { pending, until: clock.now() + USUAL_MS };
        known = entry;
        pending.then(
          ({ expires }) => {
            if (expires !== null) entry.until = expires - EARLY_MS;
          },
          () => {
            if (known === entry) known = null;
          },
        );
      }
      return (await known.pending).credential;
    },
    forget() {
      known = null;
    },
  };
}
