import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Outcome } from './asking.ts';
import type { MenuItem } from './menu.ts';
import { describedUpdates, FILE_OF_SCOPE, offeredUpdates, onlyRule, withRule } from './rule-text.ts';
import { visible } from './shown-text.ts';

/** One answer to a question about a call. */
export interface PermissionChoice extends MenuItem {
  readonly id: 'all' | 'once' | 'session' | 'project' | 'user' | 'no' | 'say';
  readonly behavior: 'allow' | 'deny' | null;
  /** What it changes for later calls. */
  readonly updates: readonly JsonObject[];
  readonly outcome: string;
}

export interface ChoiceOptions {
  cwd: string;
  /** The rule that replaces the offered one. */
  rule: string | null;
  /** There is more of the call than the question shows. */
  hasMore: boolean;
}

export const SAID_NO = 'The user said no to this call.';

/** The answers to a question about a call, in their order. */
export function permissionChoices(request: JsonObject, { cwd, rule, hasMore }: ChoiceOptions): PermissionChoice[] {
  const offered = offeredUpdates(request);
  const updates = rule === null ? offered : withRule(offered, rule);
  const what = describedUpdates(updates, cwd);
  return [
    ...(hasMore ? [viewAll] : []),
    once,
    ...(what === '' ? [] : placesFor(updates).map((place, index) => keptChoice(place, { updates, what, index }))),
    { id: 'no', text: 'No', behavior: 'deny', updates: [], outcome: 'denied' },
    { id: 'say', text: 'No, and say what to do instead \u2026', behavior: 'deny', updates: [], outcome: 'denied' },
  ];
}

const viewAll: PermissionChoice = {
  ...{ id: 'all', key: 'v', text: 'View all of it first', behavior: null },
  ...{ updates: [], outcome: '' },
};
const once: PermissionChoice = {
  ...{ id: 'once', text: 'Yes, this once', behavior: 'allow' },
  ...{ updates: [], outcome: 'allowed once' },
};

interface Place {
  id: 'session' | 'project' | 'user';
  text: string;
  destination: string;
}

const SESSION: Place = { id: 'session', text: 'Yes, and for this session:', destination: 'session' };
const PROJECT: Place = { id: 'project', text: 'Yes, and always in this project:', destination: 'localSettings' };
const USER: Place = { id: 'user', text: 'Yes, and always for me:', destination: 'userSettings' };

/** A mode is only for this session; directories of a project are no matter of the user's other ones. */
function placesFor(updates: readonly JsonObject[]): Place[] {
  if (updates.some(({ type }) => type !== 'addRules' && type !== 'addDirectories')) return [SESSION];
  return updates.every(({ type }) => type === 'addRules') ? [SESSION, PROJECT, USER] : [SESSION, PROJECT];
}

function keptChoice(
  { id, text, destination }: Place,
  { updates, what, index }: { updates: readonly JsonObject[]; what: string; index: number },
): PermissionChoice {
  const file = FILE_OF_SCOPE[destination];
  const rule = onlyRule(updates) === null ? what : `rule ${what}`;
  return {
    ...{ id, text, behavior: 'allow' },
    detail: `${index === 0 ? what : 'the same'}${file ? ` \u2192 ${file}` : ''}`,
    updates: updates.map((update) => ({ ...update, destination })),
    outcome: `${rule} ${file ? `\u2192 ${file}` : 'for this session'}`,
  };
}

/** The answer on the wire. A remark of a denial is for the model; one of an approval is sent as a prompt. */
export function permissionAnswer({ behavior, updates }: PermissionChoice, remark: string): JsonObject {
  if (behavior === 'allow') {
    return { behavior, ...(updates.length > 0 && { updatedPermissions: [...updates] }) };
  }
  return { behavior: 'deny', message: remark === '' ? SAID_NO : `${SAID_NO} What to do instead: ${remark}` };
}

export function permissionOutcome({ behavior, outcome }: PermissionChoice, call: string, remark: string): Outcome {
  const isAllowed = behavior === 'allow';
  const said = remark === '' ? '' : `: ${remark.replaceAll(/\s+/g, ' ')}`;
  return {
    text: `${isAllowed ? '\u2713' : '\u2717'} ${outcome} \u00b7 ${call}${said}`,
    style: isAllowed ? 'good' : 'warning',
  };
}

/** Why no rule is offered; null where one is. */
export function whyNeverAlways(request: JsonObject): string | null {
  if (request.suppress_always_allow_rule !== true) return null;
  const { matched_ask_rule: matched } = request;
  if (!isObject(matched)) return 'this is asked each time: no rule would answer it';
  const content = stringField(matched, 'rule_content');
  const rule = `${stringField(matched, 'tool_name') ?? ''}${content === undefined ? '' : `(${content})`}`;
  const source = stringField(matched, 'source') ?? '';
  return `a rule of ${FILE_OF_SCOPE[source] ?? visible(source)} asks for this each time: ${visible(rule)}`;
}
