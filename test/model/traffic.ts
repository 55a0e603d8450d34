import { eachEvent } from '../../src/model/each-event.ts';
import type { Model, ModelEvent, ModelRequest } from '../../src/model/model.ts';
import type { Masked } from '../../src/model/recording/mask.ts';
import { createModelRecorder } from '../../src/model/recording/record.ts';
import type { RecordingLine } from '../../src/model/recording/recording.ts';
import { createReplayModel, type ReplayModel, type ReplayOptions } from '../../src/model/recording/replay.ts';
import { sampleRequest } from '../../src/testing/index.ts';
import { runtime } from './support.ts';

export const NOTHING: Masked = { places: {}, secrets: [] };

/** A recorder whose recording is a text. Its time goes on by ten milliseconds each time it is read. */
export function recordToText(model: Model, masked: Masked = NOTHING) {
  let text = '';
  let time = 0;
  const record = createModelRecorder({
    sink: (lines) => {
      text += lines;
    },
    masked: () => masked,
    now: () => (time += 10),
  });
  return {
    model: record(model),
    record,
    text: () => text,
    lines: () =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as RecordingLine),
  };
}

export function replayOf(text: string, options: Partial<ReplayOptions> = {}): ReplayModel {
  return createReplayModel(text, { name: 'run.jsonl', masked: () => NOTHING, clock: runtime.clock, ...options });
}

export async function ask(
  model: Model,
  request: ModelRequest = sampleRequest(),
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of eachEvent(model.stream(request, signal))) events.push(event);
  return events;
}
