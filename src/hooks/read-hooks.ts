import { isObject } from '../util/json.ts';
import { nearestWord } from '../util/nearest.ts';
import { EVENT_NAMES, isKnownEvent } from './events.ts';
import type { Hook, HookSource } from './hook.ts';
import { readMatcher } from './matcher.ts';
import { type Common, hookFacts, type Reading, readHook } from './read-hook.ts';

export interface ReadHooks {
  hooks: Hook[];
  /** What is wrong, each worth a warning. The rest of the hooks applies all the same (trust K-7). */
  problems: string[];
  /** Those of them by which a hook is not there at all. */
  lost: string[];
}

/**
 * Reads the `hooks` of settings, of a plugin, or of an `initialize` request: per event a list of groups, each with a
 * matcher and its entries (`hooks`) or callbacks (`hookCallbackIds`). Never throws.
 */
export function readHooks(given: unknown, source: HookSource): ReadHooks {
  const problems: string[] = [];
  const lost: string[] = [];
  const lose = (problem: string): [] => {
    problems.push(problem);
    lost.push(problem);
    return [];
  };
  if (!isObject(given)) return { hooks: lose('hooks must be an object of events'), problems, lost };
  const hooks = Object.entries(given).flatMap(([event, groups]) => {
    if (!isKnownEvent(event)) problems.push(unknownEvent(event));
    if (!Array.isArray(groups)) return lose(`hooks.${event} must be a list`);
    return groups.flatMap((group, at) =>
      readGroup(group, { event, source, problems, lose, place: `hooks.${event}[${at}]` }),
    );
  });
  return { hooks, problems, lost };
}

function unknownEvent(event: string): string {
  const meant = nearestWord(event, EVENT_NAMES);
  return `hooks.${event} is no event of this version; its hooks are never called${meant ? `. Did you mean ${meant}?` : ''}`;
}

function readGroup(group: unknown, reading: Reading & { event: string; source: HookSource }): Hook[] {
  const { event, source, lose, place } = reading;
  if (!isObject(group)) return lose(`${place} must be an object`);
  const matcher = readMatcher(group.matcher);
  if (!matcher.ok) return lose(`${place}: ${matcher.problem}; its hooks are never called`);
  const text = typeof group.matcher === 'string' ? group.matcher : '';
  const common: Common = { event, matcher: text, matches: matcher.matches, source, group };
  const ids = Array.isArray(group.hookCallbackIds) ? group.hookCallbackIds : [];
  const listed = Array.isArray(group.hooks) ? group.hooks : [];
  if (!Array.isArray(group.hooks) && !Array.isArray(group.hookCallbackIds)) lose(`${place}.hooks must be a list`);
  return [
    ...ids.flatMap((id, at) => readCallback(id, common, { ...reading, place: `${place}.hookCallbackIds[${at}]` })),
    ...listed.flatMap((hook, at) => readHook(hook, common, { ...reading, place: `${place}.hooks[${at}]` })),
  ];
}

function readCallback(id: unknown, common: Common, reading: Reading): Hook[] {
  if (typeof id === 'string') return [{ kind: 'callback', callbackId: id, ...hookFacts(common, {}, reading) }];
  return reading.lose(`${reading.place} must be a text`);
}
