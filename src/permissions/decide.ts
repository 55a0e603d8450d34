import { isInsideAny } from '../util/files/path-inside.ts';
import { commandReason, remedy } from './ask-reason.ts';
import {
  acceptsEdits,
  fileCommandTargets,
  grantCommand,
  isReadOnlyScript,
  writtenFiles,
} from './commands/judge-command.ts';
import { textOf } from './commands/script-directories.ts';
import type { AskDecision, Decision, Layer } from './decision.ts';
import { allows, type Call, forbids, scriptOf, withScript } from './match-rule.ts';
import type { PermissionMode } from './modes.ts';
import { pathFrom } from './paths.ts';
import { commandCwd, modesOf, type Policy } from './policy.ts';
import type { RealPath } from './real-path.ts';
import { coversTool, formatRule } from './rules.ts';
import { byLeavingSandbox, bySandbox } from './sandbox-policy.ts';
import { suggestUpdates } from './suggestions.ts';

export type { Call, Decision, Layer, Policy };

/**
 * Decides whether a tool call may run; no other code does. Pure. The first of these that applies decides:
 *
 * 1 deny rules, in every mode
 * 2 ask rules
 * 3 the session's own plan file, which plan mode may write, and an agent's own notes
 * 4 protected paths, questions to the user and commands that leave the sandbox: no mode and no rule opens these
 * 5 the mode: bypassPermissions allows the rest, plan and delegate ask for what they hold back
 * 6 allow rules
 * 7 the sandbox, for commands that run inside it, if the settings let it replace asking
 * 8 defaults: reading inside the roots, commands that only read there, and edits there where the mode accepts them;
 *   everything else asks
 *
 * In dontAsk every "ask" becomes "deny". Where no one can be asked, the caller denies too, with `denialText`. An
 * agent's call must pass in its own mode and in the modes of all agents above it, and a call of an MCP server in the
 * mode that the server is pinned to: the strictest decision counts.
 */
export function decide(given: Call, policy: Policy): Decision {
  const call = withScript(given);
  return [...modesOf(policy), ...pinnedModes(call, policy)]
    .map((mode) => decideIn({ ...policy, mode }, call))
    .reduce((a, b) => (STRICTNESS[b.behavior] > STRICTNESS[a.behavior] ? b : a));
}

function pinnedModes({ toolName }: Call, { serverModes = new Map() }: Policy): PermissionMode[] {
  return [...serverModes].flatMap(([tools, mode]) => (coversTool({ toolName: tools }, toolName, 'forbid') ? mode : []));
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

function decideIn(policy: Policy, call: Call): Decision {
  const notes = policy.notes?.(call, policy) ?? null;
  const decision =
    byDenyRules(call, policy) ??
    // A tool that the agent has only for its notes never leads to a question.
    (notes?.behavior === 'deny' ? notes : byAskRules(call, policy)) ??
    byPlanFile(call, policy) ??
    notes ??
    byProtectedPaths(call, policy) ??
    byInteraction(call) ??
    byLeavingSandbox(call, policy) ??
    byMode(call, policy) ??
    byAllowRules(call, policy) ??
    bySandbox(call, policy) ??
    byDefault(call, policy);
  return decision.behavior === 'ask' && policy.mode === 'dontAsk' ? withoutAsking(decision) : decision;
}

function byDenyRules(call: Call, policy: Policy): Decision | null {
  const remembering = { ...policy, realPath: remembered(policy.realPath) };
  for (const rule of policy.deny) {
    const why = forbids(rule, call, remembering);
    if (why !== null)
      return { behavior: 'deny', layer: 'deny-rule', rule, reason: `The rule ${formatRule(rule)} denies it: ${why}.` };
  }
  return null;
}

/** All rules ask about the same paths, for one decision. */
function remembered(realPath: RealPath): RealPath {
  const known = new Map<string, string | null>();
  return (path) => {
    const answer = known.get(path);
    if (answer !== undefined) return answer;
    const real = realPath(path);
    known.set(path, real);
    return real;
  };
}

function byAskRules(call: Call, policy: Policy): Decision | null {
  // A search leaves out files that are denied, but not files that an ask rule names.
  const unfiltered = { ...policy, searchesFiltered: false };
  for (const rule of policy.ask) {
    const why = forbids(rule, call, unfiltered);
    if (why === null) continue;
    return {
      behavior: 'ask',
      layer: 'ask-rule',
      rule,
      reason: `The rule ${formatRule(rule)} asks first: ${why}.`,
      suggestions: [],
    };
  }
  return null;
}

/** Exactly that file, by its real path: a symlink at its path leads elsewhere and is judged by its target. */
function byPlanFile({ access }: Call, policy: Policy): Decision | null {
  const mayWrite = policy.mode === 'plan' && !policy.isPlanOfOther;
  const mayTouch = access.kind === 'read' || (access.kind === 'edit' && mayWrite);
  const plan = mayTouch ? (policy.planFile?.() ?? null) : null;
  if (plan === null || !('paths' in access) || access.paths.length === 0) return null;
  const isPlan = access.paths.every((path) => policy.realPath(path) === plan);
  return isPlan ? { behavior: 'allow', layer: access.kind === 'edit' ? 'mode' : 'default' } : null;
}

/** A path whose target cannot be determined could be anything, so it counts as protected. */
function byProtectedPaths(call: Call, policy: Policy): Decision | null {
  const path = writtenPaths(call, policy).find((each) => {
    const real = policy.realPath(each);
    return real === null || policy.protectedPath(each) || policy.protectedPath(real);
  });
  if (path === undefined) return null;
  const reason = `${path} belongs to this program, or configures it, git or a shell, so writing it is asked for in every mode.`;
  return { behavior: 'ask', layer: 'protected-path', reason, suggestions: [] };
}

/** For a command, the files that the shell itself writes. */
function writtenPaths(call: Call, policy: Policy): readonly string[] {
  if (call.access.kind === 'edit') return call.access.paths;
  const written = writtenFiles(scriptOf(call)).flatMap((word) => textOf(word, policy) ?? []);
  return written.map((path) => pathFrom(commandCwd(policy), path));
}

/** No mode may answer a question that is meant for a person: Heddle would invent the answer. */
function byInteraction({ access, toolName }: Call): Decision | null {
  if (access.kind !== 'interaction') return null;
  return { behavior: 'ask', layer: 'default', reason: `${toolName} is answered by the user.`, suggestions: [] };
}

function byMode(call: Call, policy: Policy): Decision | null {
  switch (policy.mode) {
    case 'bypassPermissions':
      // The mode has no effect unless it was permitted at launch, so the usual rules still apply.
      return policy.bypassAllowed ? { behavior: 'allow', layer: 'mode' } : null;
    case 'plan':
      return changesNothing(call)
        ? null
        : heldBack(`In plan mode only reading is done; ${call.toolName} may change something.`);
    case 'delegate':
      if (COORDINATION.has(call.toolName)) return null;
      return heldBack(`In delegate mode only coordination tools run; ${call.toolName} is none.`);
    case 'default':
    case 'acceptEdits':
    case 'auto':
    case 'dontAsk':
      return null;
  }
}

/** Tools that do nothing themselves but hand out work and report on it. */
const COORDINATION: ReadonlySet<string> = new Set([
  ...['Task', 'TaskOutput', 'TaskStop', 'TeamCreate', 'TeamDelete', 'SendMessage'],
  ...['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate'],
]);

function heldBack(reason: string): Decision {
  return { behavior: 'ask', layer: 'mode', reason, suggestions: [] };
}

function changesNothing(call: Call): boolean {
  const { access } = call;
  if (access.kind === 'execute') return isReadOnlyScript(scriptOf(call));
  return access.kind === 'none' || access.kind === 'read' || (access.kind === 'named' && !access.asks);
}

function byAllowRules(call: Call, policy: Policy): Decision | null {
  const rule = policy.allow.find((each) => allows(each, call, policy));
  return rule === undefined ? null : { behavior: 'allow', layer: 'allow-rule', rule };
}

function byDefault(call: Call, policy: Policy): Decision {
  const { access, toolName } = call;
  switch (access.kind) {
    case 'none':
      return { behavior: 'allow', layer: 'default' };
    case 'read':
      return areInside(access.paths, [...policy.roots, ...policy.readRoots], policy)
        ? { behavior: 'allow', layer: 'default' }
        : askOutside(call, access.paths, policy);
    case 'edit':
      return byEditDefault(call, access.paths, policy);
    case 'execute':
      return byCommandDefault(call, access.command, policy);
    case 'named':
      if (!access.asks) return { behavior: 'allow', layer: 'default' };
      return ask(call, `${access.name} allows itself more than to be read, or runs commands.`, policy);
    case 'interaction': // the layer of interactions asks for it, in every mode
    case 'other':
      return ask(call, `${toolName} runs only with permission.`, policy);
  }
}

function byEditDefault(call: Call, paths: readonly string[], policy: Policy): Decision {
  if (!areInside(paths, policy.roots, policy)) return askOutside(call, paths, policy);
  const later = acceptsEdits(policy) ? paths.find((path) => isLater(path, policy)) : undefined;
  if (later !== undefined) return ask(call, `${later} acts later: ${LATER}`, policy);
  if (acceptsEdits(policy)) return { behavior: 'allow', layer: 'mode' };
  return ask(call, `${call.toolName} changes files, which the mode ${policy.mode} asks for.`, policy);
}

const LATER = 'an editor, git, a package manager or Heddle runs what it names, so the mode does not accept it.';

function isLater(path: string, policy: Policy): boolean {
  return [path, policy.realPath(path) ?? path].some((each) => policy.actsLater?.(each));
}

function byCommandDefault(call: Call, command: string, policy: Policy): Decision {
  const script = scriptOf(call);
  const grant = grantCommand(command, script, policy);
  if (grant !== null) return { behavior: 'allow', ...grant };
  const blockedPath = fileCommandTargets(script, policy)[0];
  const suggestions = suggestUpdates(call, policy);
  const reason = commandReason(call, command, policy, suggestions);
  const question: AskDecision = { behavior: 'ask', layer: 'default', reason, suggestions };
  return blockedPath === undefined ? question : { ...question, blockedPath };
}

function ask(call: Call, reason: string, policy: Policy): AskDecision {
  const suggestions = suggestUpdates(call, policy);
  return { behavior: 'ask', layer: 'default', reason: `${reason}${remedy(call, suggestions, policy)}`, suggestions };
}

function askOutside(call: Call, paths: readonly string[], policy: Policy): AskDecision {
  const reason = `${paths.join(', ') || 'What it touches'} is outside the directories of this session.`;
  return { ...ask(call, reason, policy), layer: 'outside-roots' };
}

/** A call that names no path could touch any, so it is never inside. */
function areInside(paths: readonly string[], roots: readonly string[], policy: Policy): boolean {
  return (
    paths.length > 0 &&
    paths.every((path) => {
      const real = policy.realPath(path);
      return real !== null && isInsideAny(roots, real);
    })
  );
}

function withoutAsking(decision: AskDecision): Decision {
  const { layer, rule, reason } = decision;
  const text = `The mode dontAsk denies what would have to be asked for. ${reason}`;
  return { behavior: 'deny', layer: layer === 'default' ? 'mode' : layer, reason: text, ...(rule && { rule }) };
}

/** The text for the model when a call does not run: after a denial, or after a question that no one could answer. */
export function denialText(toolName: string, decision: Exclude<Decision, { behavior: 'allow' }>): string {
  const outcome =
    decision.behavior === 'deny'
      ? `Permission to use ${toolName} was denied.`
      : `${toolName} needs permission, which was requested but not granted.`;
  const reason = decision.reason.replace(/[^.]$/, '$&.');
  return `${outcome} ${reason} Nothing was run. Do not look for a way around this; say what you need instead.`;
}
