import { describe, expect, test } from 'vitest';
import { takeFallback } from '../../src/agent/fallback.ts';
import type { FailureClass } from '../../src/model/model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { Message } from '../../src/wire/messages/index.ts';
import { parseMessage } from '../../src/wire/messages/index.ts';
import { createRig, MODEL, type Rig } from './support.ts';

const rigWith = (count: number) => {
  return createRig(['main'], { fallbacks: Array.from({ length: count }, () => scriptedModel(['other'])) });
};

async function take({ turn }: Rig, failure: FailureClass): Promise<{ taken: boolean; lines: Message[] }> {
  const generator = takeFallback(turn, { class: failure, message: 'no luck' });
  const lines: Message[] = [];
  for (;;) {
    const step = await generator.next();
    if (step.done) return { taken: step.value, lines };
    lines.push(step.value);
  }
}

describe('another model', () => {
  test.each<[FailureClass, boolean]>([
    ['overloaded', true],
    ['server', true],
    ['model_not_found', true],
    ['rate_limit', false],
    ['authentication', false],
    ['billing', false],
    ['connection', false],
    ['timeout', false],
    ['invalid_request', false],
    ['prompt_too_long', false],
    ['malformed', false],
    ['aborted', false],
  ])('[K17] after %s: %s', async (failure, expected) => {
    const rig = rigWith(1);
    expect(await take(rig, failure)).toMatchObject({ taken: expected });
    expect(rig.turn.request.model).toBe(expected ? 'fallback-1' : MODEL);
  });

  test('[K17, OPT-14] is named on the wire, with the one that failed and why', async () => {
    const { lines } = await take(rigWith(1), 'overloaded');
    const [line] = lines;
    expect(line).toMatchObject({
      subtype: 'model_fallback',
      trigger: 'overloaded',
      original_model: MODEL,
      fallback_model: 'fallback-1',
      content: expect.stringContaining('no luck'),
    });
    expect(parseMessage(line)).toMatchObject({ ok: true });
  });

  test('[K17] is the next of the list, each once', async () => {
    const rig = rigWith(2);
    const before = rig.turn.model;
    expect((await take(rig, 'server')).taken).toBe(true);
    expect(rig.turn.model).not.toBe(before);
    expect((await take(rig, 'server')).lines).toMatchObject([{ original_model: 'fallback-1' }]);
    expect(await take(rig, 'server')).toEqual({ taken: false, lines: [] });
    expect(rig.turn.request.model).toBe('fallback-2');
  });
});
