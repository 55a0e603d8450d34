import { describe, test } from 'vitest';
import { transportCases } from '../../src/testing/index.ts';
import { pairs } from './pairs.ts';

describe.each(Object.entries(pairs))('the Transport contract holds for %s', (_, makePair) => {
  test.each(transportCases().map(({ name, run }) => [name, run] as const))('%s', (_name, run) => run(makePair));
});
