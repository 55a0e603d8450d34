import { describe, test } from 'vitest';
import type { Ordeal } from '../support/model-ordeal-suite.ts';
import { liveThroughAll } from '../support/model-ordeals-run.ts';
import { BEDROCK, ordealsElsewhere, RESPONSES } from '../support/ordeals-elsewhere.ts';

const named = (ordeals: Ordeal[]) => ordeals.map((ordeal) => [ordeal.title, ordeal] as const);

describe('what Amazon Bedrock does wrong', () => {
  test.each(named(ordealsElsewhere()))('%s', async (_title, ordeal) => {
    await liveThroughAll(ordeal, BEDROCK);
  });
});

describe('what the Responses API does wrong', () => {
  // It knows no pauses.
  test.each(named(ordealsElsewhere((name) => name === 'pauses')))('%s', async (_title, ordeal) => {
    await liveThroughAll(ordeal, RESPONSES);
  });
});
