import type { ModelEvent, ModelYield } from './model.ts';

/**
 * Yields the events of a model's answer one by one, with groups opened. For readers that can afford a promise per
 * event.
 */
export async function* eachEvent(stream: AsyncIterable<ModelYield>): AsyncGenerator<ModelEvent, void> {
  for await (const item of stream) {
    if (isGroup(item)) yield* item;
    else yield item;
  }
}

export function isGroup(item: ModelYield): item is readonly ModelEvent[] {
  return Array.isArray(item);
}
