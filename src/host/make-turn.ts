import { OVERLOADS_BEFORE_FALLBACK } from '../agent/fallback.ts';
import { type Ask, createGate, type Gate } from '../agent/gate.ts';
import type { Fallback, Tally, Turn } from '../agent/turn.ts';
import type { Policy } from '../permissions/policy.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { Message } from '../wire/messages/index.ts';
import { inputStamp } from './input-stamp.ts';
import type { Chosen } from './models.ts';
import type { Parts } from './parts.ts';
import { attachNested, placed } from './record-input.ts';
import { requestSettings } from './request-settings.ts';

/** What a turn needs of its session. */
export interface TurnSeams {
  say(message: Message): Promise<void> | undefined;
  takeQueued(): Promise<Message[]>;
}

/** A turn of the main thread or of an agent, from the settings in force now. */
export function makeTurn(parts: Parts, tally: Tally, asked: ContentBlock[], seams: TurnSeams): Turn {
  const { fallbacks } = parts;
  const chosen = parts.extras.chosen ?? parts.chosen;
  const calls = { tools: parts.tools, gate: gateOf(parts) };
  const stamp = inputStamp(parts, tally);
  const sayPartial = (line: Message) => seams.say(stamp(line));
  const turn: Turn = {
    runtime: parts.runtime,
    sessionId: parts.sessionId,
    parentToolUseId: parts.agent?.toolUseId ?? null,
    ...candidate(parts, chosen, fallbacks[0]),
    fallbacks: fallbacks.map((each, at) => candidate(parts, each, fallbacks[at + 1])),
    messages: parts.messages,
    asked,
    get partial() {
      return parts.partials ? sayPartial : null; // a host may ask for it during the turn
    },
    ...(parts.telemetry?.calls(calls) ?? calls),
    aliases: parts.settings.toolAliases,
    ordered: parts.ordered,
    get hooks() {
      return parts.hooks; // a skill may bring the first ones
    },
    toolContext: (toolUseId, signal) => parts.toolContext(toolUseId, signal),
    hide: parts.hideCredentials,
    limits: parts.limits,
    ledger: parts.ledger,
    tally,
    context: parts.context,
    structured: parts.structured?.begin() ?? null,
    summaries: parts.toolUseSummaries,
    tellsToday: parts.dialect === '2.1.325',
    progressMs: parts.progressMs,
    async takeQueued() {
      await attachNested(parts);
      return seams.takeQueued();
    },
    beforeStop: async (again, signal) => (await parts.hooks?.beforeStop(again, signal)) ?? { kind: 'stop' },
    async record(message, facts) {
      // A summary replaces all that the model was told: the facts of the place are news again.
      if (facts?.isCompactSummary) parts.reminders.summarised();
      const recorded = await parts.recorder.record(message, facts);
      return recorded.type === 'assistant' ? stamp(recorded) : recorded;
    },
    keep: (kept) => parts.recorder.keep(kept),
    async facts() {
      const news = await parts.reminders.news();
      parts.reminders.told(news);
      return news;
    },
    attach: (attachments) => parts.recorder.attach(placed(parts, attachments)),
    rewind: (uuids) => parts.recorder.rewind(uuids),
  };
  parts.extras.turn = turn;
  return turn;
}

/** `ask`: who is asked, if not whoever answers the session's questions. */
export function gateOf(parts: Parts, ask: () => Ask | null = () => askerOf(parts)): Gate {
  return createGate({
    workspace: parts.workspace,
    policy: () => policyNow(parts),
    ask,
    async onUpdates(updates) {
      await parts.permissions.apply(updates);
      await parts.mcp?.approvals.remember(updates);
    },
    onFileAccess(paths) {
      parts.namePlan();
      parts.memory.touch(paths);
    },
    hooks: () => parts.hooks,
  });
}

/** Who is asked is told for which agent, and why it is asked again for a tool that was approved. */
function askerOf({ ask, agent, mcp }: Parts): Ask | null {
  const asker = ask();
  if (!asker || !(agent || mcp)) return asker;
  return (request, signal) => {
    const explained = mcp?.approvals.explained(request) ?? request;
    return asker(agent ? { ...explained, agentId: agent.id } : explained, signal);
  };
}

/** The policy in force at this moment, where the next command would run included. */
export function policyNow({ permissions, toolSession, sandbox, extras, mcp, notes }: PolicyHolders): Policy {
  const shellCwd = toolSession.shellDirectory.current();
  const policy = mcp?.policies.applied(permissions.policy) ?? permissions.policy;
  const allow = extras.grants.length > 0 ? [...policy.allow, ...extras.grants] : policy.allow;
  const more = { ...(sandbox.policy && { sandbox: sandbox.policy }), ...(notes && { notes: notes.judge }) };
  return { ...policy, allow, shellCwd, ...more };
}

interface PolicyHolders extends Pick<Parts, 'permissions' | 'sandbox' | 'extras'> {
  toolSession: { shellDirectory: { current(): string } };
  mcp?: Parts['mcp'];
  notes?: Parts['notes'];
}

/** One that another can stand in for is not waited for as long (ruling K17). */
function candidate(parts: Parts, chosen: Chosen, next: Chosen | undefined): Fallback {
  const limit = next && { overloadLimit: OVERLOADS_BEFORE_FALLBACK };
  return { model: chosen.model, request: { ...requestSettings(parts, chosen), ...limit } };
}
