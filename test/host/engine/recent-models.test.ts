import { expect, test } from 'vitest';
import { createRecentModels } from '../../../src/host/engine/recent-models.ts';
import type { Model } from '../../../src/model/model.ts';
import { sampleRequest } from '../../../src/testing/model-suite.ts';

/** Models that write down what is done with them. */
function notebook() {
  const notes: string[] = [];
  const make = (name: string) => (): Model => {
    notes.push(`made ${name}`);
    return {
      provider: name,
      async *stream() {
        notes.push(`asked ${name}`);
        yield { type: 'response', requestId: null };
      },
      close: () => notes.push(`closed ${name}`),
    };
  };
  return { make, take: () => notes.splice(0) };
}

async function ask(model: Model): Promise<void> {
  for await (const _event of model.stream(sampleRequest(), new AbortController().signal));
}

test('the same key gives the same model', async () => {
  const { make, take } = notebook();
  const models = createRecentModels(2);
  const first = models.get('a', make('a'));
  expect(models.get('a', make('a'))).toBe(first);
  expect(models.get('b', make('b'))).not.toBe(first);
  expect(take()).toEqual(['made a', 'made b']);
});

test('past the limit the one that was not used for longest is closed; being asked is a use', async () => {
  const { make, take } = notebook();
  const models = createRecentModels(2);
  const a = models.get('a', make('a'));
  models.get('b', make('b'));
  await ask(a);
  models.get('c', make('c'));
  expect(take()).toEqual(['made a', 'made b', 'asked a', 'made c', 'closed b']);
});

test('who still holds a closed one can ask it: it is made anew, and counts again', async () => {
  const { make, take } = notebook();
  const models = createRecentModels(1);
  const a = models.get('a', make('a'));
  models.get('b', make('b'));
  await ask(a);
  expect(take()).toEqual(['made a', 'made b', 'closed a', 'made a', 'closed b', 'asked a']);
  models.close();
  expect(take()).toEqual(['closed a']);
});
