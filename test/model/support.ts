import { type AnthropicOptions, createAnthropicModel } from '../../src/model/anthropic/anthropic.ts';
import type { Failure, Model, ModelEvent } from '../../src/model/model.ts';
import { createOpenAiModel, type OpenAiOptions } from '../../src/model/openai/openai.ts';
import { raceAbort } from '../../src/util/abort.ts';
import type { Runtime } from '../../src/util/runtime.ts';

export const runtime: Runtime = {
  clock: {
    now: () => Date.now(),
    sleep: (ms, signal) => raceAbort(new Promise((resolve) => setTimeout(resolve, ms)), signal),
  },
  ids: { uuid: () => crypto.randomUUID() },
  log: () => {},
};

export function anthropic(baseUrl: string, options: Partial<AnthropicOptions> = {}): Model {
  return createAnthropicModel({
    baseUrl,
    apiKey: 'sk-test-key',
    userAgent: 'heddle/0.0.0',
    timeoutMs: 5000,
    runtime,
    ...options,
  });
}

export function openAi(baseUrl: string, options: Partial<OpenAiOptions> = {}): Model {
  return createOpenAiModel({
    baseUrl,
    apiKey: 'sk-test-key',
    userAgent: 'heddle/0.0.0',
    timeoutMs: 5000,
    runtime,
    ...options,
  });
}

export function failureOf(events: readonly ModelEvent[]): Failure | undefined {
  const last = events.at(-1);
  return last?.type === 'failure' ? last.failure : undefined;
}

export function typesOf(events: readonly ModelEvent[]): string[] {
  return events.map((event) => (event.type === 'event' ? event.event.type : event.type));
}
