import { isObject } from '../util/json.ts';
import { nearestWord } from '../util/text/nearest.ts';
import { EVENT_NAMES, isKnownEvent } from './events.ts';
import type { Hook, HookSource } from './hook.ts';
import { readMatcher } from './matcher.ts';
import { type HookGroup, hookDetails, type ParseContext, readHook } from './read-hook.ts';

export interface ReadHooks {
  hooks: Hook[];
  /** The problems, each for a warning. The other hooks still apply. */
  problems: string[];
  /** The problems because of which a hook is left out. */
  lost: string[];
}

/**
 * Reads the `hooks` of settings, of a plugin, or of an `initialize` request: per event a list of groups, each with a
 * matcher and its entries (`hooks`) or callbacks (`hookCallbackIds`). Never throws.
 */
export function readHooks(raw: unknown, source: HookSource): ReadHooks {
  const problems: string[] = [];
  const lost: string[] = [];
  const lose = (problem: string): [] => {
    problems.push(problem);
    lost.push(problem);
    return [];
  };
  if (!isObject(raw)) return { hooks: lose('hooks must be an object of events'), problems, lost };
  const hooks = Object.entries(raw).flatMap(([event, groups]) => {
    if (!isKnownEvent(event)) problems.push(unknownEvent(event));
    if (!Array.isArray(groups)) return lose(`hooks.${event} must be a list`);
    return groups.flatMap((group, at) =>
      readGroup(group, { event, source, problems, lose, location: `hooks.${event}[${at}]` }),
    );
  });
  return { hooks, problems, lost };
}

function unknownEvent(event: string): string {
  const meant = nearestWord(event, EVENT_NAMES);
  return `hooks.${event} is no event of this version; its hooks are never called${meant ? `. Did you mean ${meant}?` : ''}`;
}

function readGroup(group: unknown, reading: ParseContext & { event: string; source: HookSource }): Hook[] {
  const { event, source, lose, location } = reading;
  if (!isObject(group)) return lose(`${location} must be an object`);
  const matcher = readMatcher(group.matcher);
  if (!matcher.ok) return lose(`${location}: ${matcher.problem}; its hooks are never called`);
  const text = typeof group.matcher === 'string' ? group.matcher : '';
  const common: HookGroup = { event, matcher: text, matches: matcher.matches, source, group };
  const ids = Array.isArray(group.hookCallbackIds) ? group.hookCallbackIds : [];
  const listed = Array.isArray(group.hooks) ? group.hooks : [];
  if (!Array.isArray(group.hooks) && !Array.isArray(group.hookCallbackIds)) lose(`${location}.hooks must be a list`);
  return [
    ...ids.flatMap((id, at) =>
      readCallback(id, common, { ...reading, location: `${location}.hookCallbackIds[${at}]` }),
    ),
    ...listed.flatMap((hook, at) => readHook(hook, common, { ...reading, location: `${location}.hooks[${at}]` })),
  ];
}

function readCallback(id: unknown, group: HookGroup, context: ParseContext): Hook[] {
  if (typeof id === 'string') return [{ kind: 'callback', callbackId: id, ...hookDetails(group, {}, context) }];
  return context.lose(`${context.location} must be a text`);
}
