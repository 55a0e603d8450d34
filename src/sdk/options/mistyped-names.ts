import { slipOf } from '../../util/text/nearest.ts';
import { BUILTIN_TOOL_NAMES, OTHER_TOOL_NAMES } from '../../wire/tools/known-tool-names.ts';
import type { GivenOptions } from './options.ts';
import { programTools } from './tools-of-program.ts';

/**
 * Tool names that are one typing error away from a known tool: a hook or a rule with such a name would guard nothing. A
 * name that is far from all known tools may belong to another agent; the agent warns about names that it does not know.
 */
export function* mistypedNames(options: GivenOptions): Generator<[option: keyof GivenOptions, message: string], void> {
  // An agent that a transport reaches may have its own tools and checks their names itself.
  if (options.transport) return;
  const own = programTools(options.tools).map(({ name }) => name);
  const known = [...BUILTIN_TOOL_NAMES, ...OTHER_TOOL_NAMES, ...Object.keys(options.toolAliases ?? {}), ...own];
  for (const [option, at, name] of namesIn(options)) {
    const meant = isOfServer(name) ? null : slipOf(name, known);
    if (meant !== null) yield [option, `options.${option}${at} names the tool '${name}'; did you mean '${meant}'?`];
  }
}

type NamePosition = [option: keyof GivenOptions, at: string, name: string];

function* namesIn({
  tools,
  allowedTools,
  disallowedTools,
  agents,
  hooks,
}: GivenOptions): Generator<NamePosition, void> {
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
function* ruleNames(
  option: keyof GivenOptions,
  place: string,
  rules: readonly string[] = [],
): Generator<NamePosition, void> {
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

/** The names in a matcher such as `Edit|Write`. Any other matcher is a pattern, which may match anything. */
function plainNames(matcher = ''): string[] {
  return /^[\w|\s]+$/.test(matcher) ? matcher.split('|').map((name) => name.trim()) : [];
}

function isOfServer(name: string): boolean {
  return name.startsWith('mcp__');
}
