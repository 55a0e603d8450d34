import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { ApiMessage, ModelEvent, ModelRequest, StreamEvent } from '../model.ts';

/** Increased when older readers would misread the format. */
export const RECORDING_VERSION = 1;

/** The settings that every request of a conversation repeats. Settings that the model does not see are left out. */
export type RecordedSettings = Omit<ModelRequest, 'messages' | 'userId' | 'overloadLimit'>;

export function settingsOf(request: ModelRequest): RecordedSettings {
  const { messages: _, userId: __, overloadLimit: ___, ...settings } = request;
  return settings;
}

/** An event, without the text that can be derived from it. */
export type RecordedEvent = Exclude<ModelEvent, { type: 'event' }> | { type: 'event'; event: StreamEvent };

/** A model call and its answer. Incomplete when recording ended in the middle of it. */
export interface RecordedCall {
  /** The provider of the recording; only with the first call. */
  provider?: string;
  settings: RecordedSettings;
  messages: readonly ApiMessage[];
  /** `atMs`: milliseconds since the request. */
  events: { atMs: number; event: RecordedEvent }[];
}

/**
 * The lines of a recording: a header, then for each call its request and its events. Calls may overlap; `index` names
 * the call of a line.
 */
export type RecordingLine =
  | { type: 'recording'; version: number; heddle_version: string }
  | RequestLine
  | (RecordedEvent & { index: number; atMs: number });

/**
 * A request that continues an earlier one holds only the new messages: before them come the first `keep` messages of
 * the request `extends`, whose settings it has unless it brings its own.
 */
export interface RequestLine {
  type: 'request';
  index: number;
  extends?: number;
  keep?: number;
  /** With the first request. */
  provider?: string;
  settings?: RecordedSettings;
  messages: readonly ApiMessage[];
}

/**
 * The calls of a recording. An incomplete last line is skipped. Throws `invalid_option` with the line number for
 * anything else that is not a recording; `name` is the file's name in messages.
 */
export function readRecording(text: string, name: string): [RecordedCall, ...RecordedCall[]] {
  const lines = text.split('\n');
  const torn = lines.pop() ?? '';
  if (torn !== '' && tryParseJson(torn) !== undefined) lines.push(torn);
  const calls: RecordedCall[] = [];
  lines.forEach((line, at) => {
    const problem = at === 0 ? headerProblem(line) : takeLine(calls, line);
    if (problem === null) return;
    throw new HeddleError('invalid_option', `${name} cannot be replayed: line ${at + 1} ${problem}`, {
      facts: { path: name, line: at + 1 },
    });
  });
  const [first, ...others] = calls;
  if (first) return [first, ...others];
  throw new HeddleError('invalid_option', `${name} cannot be replayed: it holds no model call`, {
    facts: { path: name },
  });
}

function headerProblem(text: string): string | null {
  const header = tryParseJson(text);
  if (!isObject(header) || header.type !== 'recording') return 'is not the header of a recording (see --record)';
  if (header.version === RECORDING_VERSION) return null;
  return `says version ${String(header.version)}, but this Heddle reads version ${RECORDING_VERSION}: record it again`;
}

/** Adds the content of a line to the calls; returns what is wrong with the line, or null. */
function takeLine(calls: RecordedCall[], text: string): string | null {
  if (text.trim() === '') return null;
  const line = tryParseJson(text);
  if (!isObject(line)) return 'is not a JSON object';
  if (line.type === 'request') return takeRequest(calls, line);
  const call = calls[Number(line.index)];
  if (!call) return `belongs to call ${String(line.index)}, which has no request before it`;
  const event = readEvent(line);
  if (!event) return `is no event of an answer (type ${String(line.type)})`;
  call.events.push({ atMs: Number(line.atMs) || 0, event });
  return null;
}

function takeRequest(calls: RecordedCall[], line: JsonObject): string | null {
  if (line.index !== calls.length) return `is request ${String(line.index)}, but ${calls.length} was expected`;
  const base = line.extends === undefined ? undefined : calls[Number(line.extends)];
  if (line.extends !== undefined && !base) return `extends request ${String(line.extends)}, which does not exist`;
  const settings = (line.settings as RecordedSettings | undefined) ?? base?.settings;
  if (stringField(settings, 'model') === undefined) return 'is a request without the settings of its model';
  if (!Array.isArray(line.messages)) return 'is a request without messages';
  const kept = base?.messages.slice(0, Number(line.keep)) ?? [];
  const messages = [...kept, ...(line.messages as ApiMessage[])];
  const provider = stringField(line, 'provider');
  calls.push({ ...(provider && { provider }), settings: settings as RecordedSettings, messages, events: [] });
  return null;
}

function readEvent(line: JsonObject): RecordedEvent | null {
  const { index: _, atMs: __, ...event } = line;
  const isEvent =
    event.type === 'response' ||
    (event.type === 'event' && stringField(event.event, 'type') !== undefined) ||
    ((event.type === 'retry' || event.type === 'failure') && stringField(event.failure, 'class') !== undefined);
  return isEvent ? (event as RecordedEvent) : null;
}
