import { describe, test } from 'vitest';
import { peerCases } from '../../src/testing/index.ts';
import { pairs } from './pairs.ts';

describe.each(Object.entries(pairs))('the Peer contract holds over %s', (_, makePair) => {
  test.each(peerCases().map(({ name, run }) => [name, run] as const))('%s', (_name, run) => run(makePair));
});
