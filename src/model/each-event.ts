import type { ModelEvent, ModelYield } from './model.ts';

/** The events of a model's answer one by one, groups opened. For readers to whom a promise per event is no matter. */
export async function* eachEvent(stream: AsyncIterable<ModelYield>): AsyncGenerator<ModelEvent, void> {
  for await (const item of stream) {
    if (isGroup(item)) yield* item;
    else yield item;
  }
}

export function isGroup(item: ModelYield): item is readonly ModelEvent[] {
  return Array.isArray(item);
}
