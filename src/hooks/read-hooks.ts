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
}

/**
 * Reads the `hooks` of settings, of a plugin, or of an `initialize` request: per event a list of groups, each with a
 * matcher and its entries (`hooks`) or callbacks (`hookCallbackIds`). Never throws.
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

function readGroup(group: unknown, reading: Reading & { event: string; source: HookSource }): Hook[] {
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
    ...listed.flatMap((hook, at) => readHook(hook, common, { ...reading, place: `${place}.hooks[${at}]` })),
  ];
}

function readCallback(id: unknown, common: Common, { problems, place }: Reading): Hook[] {
  if (typeof id === 'string')
    return [{ kind: 'callback', callbackId: id, ...hookFacts(common, {}, { problems, place }) }];
  problems.push(`${place} must be a text`);
  return [];
}
