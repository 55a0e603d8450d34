import { slipOf } from '../util/nearest.ts';
import { BUILTIN_TOOL_NAMES, OTHER_TOOL_NAMES } from '../wire/known-tool-names.ts';
import type { GivenOptions } from './options.ts';
import { programTools } from './program-tools.ts';

/**
 * Names of tools that are one slip away from a tool: a guard or a rule with such a name would guard nothing (ruling K51).
 * Names that are near none may be of an agent that we do not know; the agent warns of those that it does not have.
 */
export function* mistypedNames(options: GivenOptions): Generator<[option: keyof GivenOptions, message: string], void> {
  // What runs behind a transport may have tools of its own, and knows its names better.
  if (options.transport) return;
  const own = programTools(options.tools).map(({ name }) => name);
  const known = [...BUILTIN_TOOL_NAMES, ...OTHER_TOOL_NAMES, ...Object.keys(options.toolAliases ?? {}), ...own];
  for (const [option, at, name] of namesIn(options)) {
    const meant = isOfServer(name) ? null : slipOf(name, known);
    if (meant !== null) yield [option, `options.${option}${at} names the tool '${name}'; did you mean '${meant}'?`];
  }
}

type Place = [option: keyof GivenOptions, at: string, name: string];

function* namesIn({ tools, allowedTools, disallowedTools, agents, hooks }: GivenOptions): Generator<Place, void> {
  if (Array.isArray(tools)) {
    for (const [at, tool] of tools.entries()) {
      if (typeof tool === 'string' && tool !== 'default') yield ['tools', `[${at}]`, tool];
    }
  }
  yield* ruleNames('allowedTools', '', allowedTools);
  yield* ruleNames('disallowedTools', '', disallowedTools);
  for (const [name, agent] of Object.entries(agents ?? {})) {
    yield* ruleNames('agents', `.${name}.tools`, agent.tools);
    yield* ruleNames('agents', `.${name}.disallowedTools`, agent.disallowedTools);
  }
  for (const [event, matchers] of Object.entries(hooks ?? {})) {
    if (!TOOL_EVENTS.has(event)) continue;
    for (const [at, { matcher }] of (matchers ?? []).entries()) {
      for (const name of plainNames(matcher)) yield ['hooks', `.${event}[${at}].matcher`, name];
    }
  }
}

/** A rule begins with the name of its tool: `Bash(git:*)`. */
function* ruleNames(option: keyof GivenOptions, place: string, rules: readonly string[] = []): Generator<Place, void> {
  for (const [at, rule] of rules.entries()) {
    const name = /^\s*(\w+)\s*(?:\(|$)/.exec(rule)?.[1];
    if (name !== undefined) yield [option, `${place}[${at}]`, name];
  }
}

const TOOL_EVENTS: ReadonlySet<string> = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
]);

/** The names in a matcher such as `Edit|Write`. What is more than names is a pattern, which may mean anything. */
function plainNames(matcher = ''): string[] {
  return /^[\w|\s]+$/.test(matcher) ? matcher.split('|').map((name) => name.trim()) : [];
}

function isOfServer(name: string): boolean {
  return name.startsWith('mcp__');
}
