import { type MakePair, withOpenPair } from './linked-pair.ts';
import { callCases } from './peer-call-suite.ts';
import { lineCases } from './peer-line-suite.ts';
import { serveCases } from './peer-serve-suite.ts';

export interface PeerCase {
  name: string;
  /** Rejects when a Peer over the near end breaks its contract. `makePair` returns a fresh pair each time. */
  run(makePair: MakePair): Promise<void>;
}

/**
 * The contract of a Peer over any linked pair, as cases for any test framework.
 *
 * @example
 * ```ts
 * import { test } from 'vitest';
 * import type { MakePair } from 'heddle/testing';
 *
 * declare const makePair: MakePair; // your transport, and the means to drive it from its other end
 *
 * for (const { name, run } of peerCases()) test(name, () => run(makePair));
 * ```
 */
export function peerCases(): PeerCase[] {
  return Object.entries({ ...callCases, ...serveCases, ...lineCases }).map(([name, check]) => ({
    name,
    run: (makePair) => withOpenPair(makePair, check),
  }));
}
