import type { JsonObject } from '../../src/util/json.ts';
import { command } from '../hooks/support.ts';

/** Hooks with all kinds of mistakes, and a good PreToolUse hook somewhere among them. `problems`: what must be said. */
export function brokenHooks(random: () => number, good: JsonObject): { hooks: JsonObject; problems: string[] } {
  const mistakes = [...MISTAKES].filter(() => random() < 0.5);
  const groups: unknown[] = mistakes.map(({ group }) => group);
  groups.splice(Math.floor(random() * (groups.length + 1)), 0, { matcher: 'Bash', hooks: [good] });
  const events = EVENTS.filter(() => random() < 0.5);
  const others = events.map(({ name, groups: odd }): [string, unknown] => [name, odd]);
  const own: [string, unknown] = ['PreToolUse', groups];
  const entries = random() < 0.5 ? [own, ...others] : [...others, own];
  const problems = [...mistakes, ...events].map(({ says }) => says);
  return { hooks: Object.fromEntries(entries), problems };
}

const fine = command('true');

/** Groups of PreToolUse. */
const MISTAKES: readonly { group: unknown; says: string }[] = [
  { group: { matcher: '(', hooks: [fine] }, says: 'is no regular expression' },
  { group: { matcher: '[', hooks: [fine] }, says: 'is no regular expression' },
  { group: { matcher: 7, hooks: [fine] }, says: 'the matcher is no text' },
  { group: { matcher: { tool: 'Bash' }, hooks: [fine] }, says: 'the matcher is no text' },
  { group: 'echo hi', says: 'must be an object' },
  { group: null, says: 'must be an object' },
  { group: [], says: 'must be an object' },
  { group: {}, says: 'hooks must be a list' },
  { group: { hooks: fine }, says: 'hooks must be a list' },
  { group: { hooks: ['true'] }, says: 'must be an object' },
  { group: { hooks: [{ type: 'command' }] }, says: 'command must be a text' },
  { group: { hooks: [{ type: 'command', command: ['true'] }] }, says: 'command must be a text' },
  { group: { hooks: [{ type: 'telepathy' }] }, says: 'telepathy' },
  { group: { hooks: [{ command: 'true' }] }, says: 'type' },
  { group: { hooks: [{ ...fine, timeout: 'soon' }] }, says: 'the timeout must be a number' },
  { group: { hooks: [{ ...fine, timeout: -1 }] }, says: 'the timeout must be a number' },
];

const EVENTS: readonly { name: string; groups: unknown; says: string }[] = [
  { name: 'NoSuchEvent', groups: [{ hooks: [fine] }], says: 'hooks.NoSuchEvent is no event' },
  { name: 'PreToolUze', groups: [], says: 'Did you mean PreToolUse?' },
  { name: '__proto__x', groups: [], says: 'is no event' },
  { name: 'Stop', groups: {}, says: 'hooks.Stop must be a list' },
  { name: 'SessionStart', groups: 'echo hi', says: 'hooks.SessionStart must be a list' },
  { name: 'UserPromptSubmit', groups: null, says: 'hooks.UserPromptSubmit must be a list' },
];
