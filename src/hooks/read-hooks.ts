import { isObject, type JsonObject } from '../util/json.ts';
import { nearestWord } from '../util/nearest.ts';
import { EVENT_NAMES, isKnownEvent } from './events.ts';
import type { Hook, HookSource } from './hook.ts';
import { type Matches, readMatcher } from './matcher.ts';

export interface ReadHooks {
  hooks: Hook[];
  /** What is wrong, each worth a warning. The rest of the hooks applies all the same (trust K-7). */
  problems: string[];
}

const DEFAULT_TIMEOUT_S = 60;

/**
 * Reads the `hooks` of settings, of a plugin, or of an `initialize` request: per event a list of groups, each with a
 * matcher and its commands (`hooks`) or callbacks (`hookCallbackIds`). Never throws.
 */
export function readHooks(given: unknown, source: HookSource): ReadHooks {
  const problems: string[] = [];
  if (!isObject(given)) return { hooks: [], problems: [`hooks must be an object of events`] };
  const hooks = Object.entries(given).flatMap(([event, groups]) => {
    if (!isKnownEvent(event)) problems.push(unknownEvent(event));
    if (!Array.isArray(groups)) {
      problems.push(`hooks.${event} must be a list`);
      return [];
    }
    return groups.flatMap((group, at) => readGroup(group, { event, source, problems, place: `hooks.${event}[${at}]` }));
  });
  return { hooks, problems };
}

function unknownEvent(event: string): string {
  const meant = nearestWord(event, EVENT_NAMES);
  return `hooks.${event} is no event of this version; its hooks are never called${meant ? `. Did you mean ${meant}?` : ''}`;
}

interface Reading {
  event: string;
  source: HookSource;
  problems: string[];
  place: string;
}

/** What the hooks of a group have in common. */
interface Common {
  event: string;
  matcher: string;
  matches: Matches;
  source: HookSource;
  group: JsonObject;
}

function readGroup(group: unknown, reading: Reading): Hook[] {
  const { event, source, problems, place } = reading;
  if (!isObject(group)) {
    problems.push(`${place} must be an object`);
    return [];
  }
  const matcher = readMatcher(group.matcher);
  if (!matcher.ok) {
    problems.push(`${place}: ${matcher.problem}; its hooks are never called`);
    return [];
  }
  const text = typeof group.matcher === 'string' ? group.matcher : '';
  const common: Common = { event, matcher: text, matches: matcher.matches, source, group };
  const ids = Array.isArray(group.hookCallbackIds) ? group.hookCallbackIds : [];
  const listed = Array.isArray(group.hooks) ? group.hooks : [];
  if (!Array.isArray(group.hooks) && !Array.isArray(group.hookCallbackIds))
    problems.push(`${place}.hooks must be a list`);
  return [
    ...ids.flatMap((id, at) => readCallback(id, common, { ...reading, place: `${place}.hookCallbackIds[${at}]` })),
    ...listed.flatMap((hook, at) => readCommand(hook, common, { ...reading, place: `${place}.hooks[${at}]` })),
  ];
}

function readCallback(id: unknown, common: Common, { problems, place }: Reading): Hook[] {
  if (typeof id === 'string') return [{ kind: 'callback', callbackId: id, ...facts(common, {}, { problems, place }) }];
  problems.push(`${place} must be a text`);
  return [];
}

function readCommand(hook: unknown, common: Common, { problems, place }: Reading): Hook[] {
  if (!isObject(hook)) {
    problems.push(`${place} must be an object`);
    return [];
  }
  const { type, command } = hook;
  if (type !== 'command') {
    problems.push(`${place}: hooks of type ${JSON.stringify(type)} do not run in this version; use "command"`);
    return [];
  }
  if (typeof command !== 'string' || command.trim() === '') {
    problems.push(`${place}.command must be a text`);
    return [];
  }
  return [{ kind: 'command', command, isAsync: hook.async === true, ...facts(common, hook, { problems, place }) }];
}

function facts(
  { group, ...common }: Common,
  hook: JsonObject,
  { problems, place }: Pick<Reading, 'problems' | 'place'>,
) {
  const seconds = hook.timeout ?? group.timeout ?? DEFAULT_TIMEOUT_S;
  const isTime = typeof seconds === 'number' && seconds > 0;
  if (!isTime) problems.push(`${place}: the timeout must be a number of seconds; ${DEFAULT_TIMEOUT_S} are used`);
  const onFailure = hook.onFailure ?? group.onFailure ?? null;
  const isKnown = onFailure === null || onFailure === 'block' || onFailure === 'ignore';
  if (!isKnown) problems.push(`${place}: onFailure must be "block" or "ignore"; "block" is used`);
  return {
    ...common,
    timeoutMs: (isTime ? seconds : DEFAULT_TIMEOUT_S) * 1000,
    onFailure: isKnown ? (onFailure as 'block' | 'ignore' | null) : ('block' as const),
  };
}
