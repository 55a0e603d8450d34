import type { Clock } from '../../util/runtime.ts';
import { mapTexts } from '../json-texts.ts';
import type { ApiMessage, Failure, Model, ModelEvent, ModelRequest, ModelYield } from '../model.ts';
import { createMask, type Mask, type Masked } from './mask.ts';
import { showEvent } from './mask-events.ts';
import {
  type RecordedCall,
  type RecordedEvent,
  type RecordedSettings,
  readRecording,
  settingsOf,
} from './recording.ts';
import { type ComparableRequest, comparableJson, describeDifference, isSameRequest } from './request-diff.ts';

export interface ReplayOptions {
  /** The recording's name in messages. */
  name: string;
  /** Called when the first request comes. */
  masked: () => Masked;
  /** `recorded`: the answers take as long as they took when recorded. Default: no time. */
  speed?: 'instant' | 'recorded';
  clock: Clock;
}

export interface ReplayModel extends Model {
  /** The settings of the first recorded request. */
  readonly settings: RecordedSettings;
}

/** Where an answer was interrupted during the recording, a replay waits this long for the same interrupt. */
const INTERRUPT_PATIENCE_MS = 5000;

/**
 * Answers from a recording. Each request gets the answer of the first unused recorded request that equals it; a request
 * that equals none ends in a failure that shows the first difference. Machine paths, secrets and reminders are not
 * compared. Throws `invalid_option` for a damaged recording.
 */
export function createReplayModel(recording: string, options: ReplayOptions): ReplayModel {
  const calls = readRecording(recording, options.name);
  const unused = new Set(calls);
  let prepared: { mask: Mask; comparer: Comparer } | null = null;

  return {
    // The session must behave as it did then, and some of its behaviour depends on the provider.
    provider: calls[0].provider ?? 'replay',
    settings: calls[0].settings,
    async *stream(request, signal) {
      if (signal.aborted) return yield failed(ABORTED);
      prepared ??= prepare(options.masked());
      const { mask, comparer } = prepared;
      const sent = comparer.sent(request);
      const call = [...unused].find((candidate) => isSameRequest(comparer.recorded(candidate), sent));
      if (call) {
        unused.delete(call);
        yield* play(call, { mask, options, signal });
        return;
      }
      const [expected] = unused;
      const problem = expected
        ? `Request ${calls.length - unused.size + 1} of this run does not match the recording ${options.name}.\n` +
          describeDifference(comparer.recorded(expected), sent)
        : `This run asks for another answer, but the ${calls.length} of the recording ${options.name} are used up.`;
      yield failed(unplayable(problem, options.name));
    },
  };
}

function prepare(masked: Masked): { mask: Mask; comparer: Comparer } {
  const mask = createMask(masked);
  return { mask, comparer: createComparer(mask) };
}

interface Comparer {
  recorded(call: RecordedCall): ComparableRequest;
  sent(request: ModelRequest): ComparableRequest;
}

/** The recording is masked already. Each message is prepared once: every request repeats the messages before it. */
function createComparer(mask: Mask): Comparer {
  const known = new WeakMap<ApiMessage, string>();
  const encode = (message: ApiMessage, hide: (value: unknown) => unknown) => {
    const json = known.get(message) ?? comparableJson(hide(withoutReminders(message)));
    known.set(message, json);
    return json;
  };
  const asIs = (value: unknown) => value;
  const masked = (value: unknown) => mapTexts(value, mask.hide);
  return {
    recorded: ({ settings, messages }) => ({
      settings: comparableJson(byName(settings)),
      messages: messages.map((message) => encode(message, asIs)),
    }),
    sent: (request) => ({
      settings: comparableJson(masked(byName(settingsOf(request)))),
      messages: request.messages.map((message) => encode(message, masked)),
    }),
  };
}

/** Reminders contain the directory and the day. */
function withoutReminders({ role, content }: ApiMessage): ApiMessage {
  return {
    role,
    content: content.filter((block) => block.type !== 'text' || !block.text.startsWith('<system-reminder>')),
  };
}

/** A difference in a tool is then reported under its name. */
function byName({ tools, ...settings }: RecordedSettings): object {
  return { ...settings, tools: Object.fromEntries(tools.map((tool) => [tool.name, tool])) };
}

interface Playing {
  mask: Mask;
  options: ReplayOptions;
  signal: AbortSignal;
}

async function* play({ events }: RecordedCall, playing: Playing): AsyncGenerator<ModelYield, void> {
  const { mask, options, signal } = playing;
  const { speed = 'instant', clock } = options;
  const played = events.filter(({ event }) => !isAbort(event));
  let playedMs = 0;
  for (const { atMs, item } of parts(played, mask, speed)) {
    if (speed === 'recorded') await clock.sleep(atMs - playedMs, signal).catch(() => {});
    if (signal.aborted) return yield failed(ABORTED);
    playedMs = atMs;
    yield item;
  }
  if (isWhole(played.at(-1)?.event)) return;
  yield failed(await unfinished({ wasInterrupted: played.length < events.length }, playing));
}

/**
 * The groups that are yielded: everything up to a retry or the end, or, at the recorded speed, each event by itself.
 */
function* parts(
  events: RecordedCall['events'],
  mask: Mask,
  speed: 'instant' | 'recorded',
): Generator<{ atMs: number; item: ModelYield }, void> {
  let group: ModelEvent[] = [];
  for (const { atMs, event: recorded } of events) {
    const event = toModelEvent(showEvent(recorded, mask));
    if (speed === 'instant' && event.type !== 'retry' && event.type !== 'failure') {
      group.push(event);
      continue;
    }
    if (group.length > 0) yield { atMs, item: group };
    group = [];
    yield { atMs, item: event };
  }
  if (group.length > 0) yield { atMs: 0, item: group };
}

function toModelEvent(event: RecordedEvent): ModelEvent {
  return event.type === 'event' ? { ...event, raw: JSON.stringify(event.event) } : event;
}

function isAbort(event: RecordedEvent): boolean {
  return event.type === 'failure' && event.failure.class === 'aborted';
}

function isWhole(last: RecordedEvent | undefined): boolean {
  return last?.type === 'failure' || (last?.type === 'event' && last.event.type === 'message_stop');
}

/** The end of a call whose answer was not recorded to its end. */
async function unfinished(
  { wasInterrupted }: { wasInterrupted: boolean },
  { options: { clock, name }, signal }: Playing,
): Promise<Failure> {
  if (!wasInterrupted) return unplayable(`The recording ${name} ends in the middle of this answer.`, name);
  await clock.sleep(INTERRUPT_PATIENCE_MS, signal).catch(() => {});
  if (signal.aborted) return ABORTED;
  return unplayable('This answer was interrupted when it was recorded, and nobody interrupted the replay.', name);
}

const ABORTED: Failure = { class: 'aborted', message: 'The request was aborted.' };

function unplayable(problem: string, name: string): Failure {
  const remedy = `If this is intended, record again: the same run with --record ${name} and the real model.`;
  return { class: 'invalid_request', message: `${problem}\n${remedy}` };
}

function failed(failure: Failure): ModelEvent {
  return { type: 'failure', failure };
}
