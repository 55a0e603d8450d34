import { isObject } from '../../util/json.ts';
import { mapTexts } from '../json-texts.ts';
import type { StreamEvent } from '../model.ts';
import type { Mask } from './mask.ts';
import type { RecordedEvent } from './recording.ts';

/** Masks events for a recording. All deltas of a block must be among them, or none. */
export function hideEvents(events: readonly RecordedEvent[], mask: Mask): RecordedEvent[] {
  const hidden = events.map((event) => (deltaOf(event) ? event : (mapTexts(event, mask.hide) as RecordedEvent)));
  for (const places of growingTexts(events).values()) {
    const [form] = places.map(({ delta }) => formOf(delta));
    const pieces = mask.hidePieces(
      places.map(({ delta }) => delta.text),
      form,
    );
    places.forEach(({ at, delta }, n) => {
      hidden[at] = withText(delta, pieces[n] ?? '');
    });
  }
  return hidden;
}

/**
 * A recorded event with the paths of this machine. A masked path is never split between events, so each event can be
 * restored alone.
 */
export function showEvent(event: RecordedEvent, mask: Mask): RecordedEvent {
  const delta = deltaOf(event);
  if (delta) return withText(delta, mask.show(delta.text, formOf(delta)));
  return mapTexts(event, (text) => mask.show(text)) as RecordedEvent;
}

/** A delta that continues a text. */
interface Delta {
  event: StreamEvent;
  field: (typeof GROWING)[number];
  text: string;
}

const GROWING = ['text', 'thinking', 'partial_json'] as const;

function deltaOf(recorded: RecordedEvent): Delta | null {
  if (recorded.type !== 'event' || recorded.event.type !== 'content_block_delta') return null;
  const { event } = recorded;
  const { delta } = event;
  const field = isObject(delta) ? GROWING.find((name) => typeof delta[name] === 'string') : undefined;
  return isObject(delta) && field ? { event, field, text: delta[field] as string } : null;
}

/** The deltas by the text that they continue. */
function growingTexts(events: readonly RecordedEvent[]): Map<string, { at: number; delta: Delta }[]> {
  const texts = new Map<string, { at: number; delta: Delta }[]>();
  for (const [at, event] of events.entries()) {
    const delta = deltaOf(event);
    if (!delta) continue;
    const key = `${String(delta.event.index)} ${delta.field}`;
    texts.set(key, [...(texts.get(key) ?? []), { at, delta }]);
  }
  return texts;
}

function formOf({ field }: Delta): 'plain' | 'json' {
  return field === 'partial_json' ? 'json' : 'plain';
}

function withText({ event, field }: Delta, text: string): RecordedEvent {
  return { type: 'event', event: { ...event, delta: { ...(event.delta as object), [field]: text } } };
}
