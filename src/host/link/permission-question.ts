import type { Ask, AskRequest } from '../../agent/calls/gate.ts';
import type { Rule } from '../../permissions/rules.ts';
import type { JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { ControlBody, Peer } from '../../wire/link/peer.ts';
import type { Outbox } from './outbox.ts';
import { questionText } from './permission-question-text.ts';

type Layer = AskRequest['decision']['layer'];

/** Asks the host with `can_use_tool`. Anything but a well-formed allow is a denial. */
export function askOverControl(peer: Peer, outbox?: Pick<Outbox, 'announceQuestion' | 'announceAnswer'>): Ask {
  return async (request, signal) => {
    outbox?.announceQuestion();
    try {
      const answer = await peer.call(canUseTool(request), { signal });
      // With the first answer, because most runs ask no question.
      const { readPermissionAnswer } = await import('./read-permission-answer.ts');
      return readPermissionAnswer(answer);
    } catch (error) {
      if (signal.aborted) return { behavior: 'deny', message: 'The question was withdrawn: the turn was interrupted' };
      return { behavior: 'deny', message: `Tool permission request failed: ${messageOf(error)}` };
    } finally {
      outbox?.announceAnswer();
    }
  };
}

/** The request that asks the host about a call, with everything for a dialog. */
export function canUseTool(request: AskRequest): ControlBody {
  const { toolName, input, toolUseId, decision, agentId, server, preview, commandPreview } = request;
  const { title, displayName, description, isPlain, isForPerson } = questionText(request);
  const isRisky = !isPlain || RISKY.has(decision.layer);
  return {
    subtype: 'can_use_tool',
    tool_name: toolName,
    ...(server && { mcp_server: { ...server } }),
    input,
    ...(decision.suggestions.length > 0 ? { permission_suggestions: decision.suggestions } : {}),
    ...(decision.blockedPath ? { blocked_path: decision.blockedPath } : {}),
    ...(decision.layer === 'default' ? {} : { decision_reason: decision.reason }),
    ...((isForPerson || PAST_RULES.has(decision.layer)) && { suppress_always_allow_rule: true }),
    ...(isRisky && { default_to_no: true }),
    ...(decision.layer === 'ask-rule' && decision.rule && { matched_ask_rule: matchedRule(decision.rule) }),
    title,
    display_name: displayName,
    tool_use_id: toolUseId,
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(description !== null && { description }),
    ...(preview && { preview }),
    ...(commandPreview && { command_preview: commandPreview }),
  };
}

/** Calls that a stray key must not approve: own settings, leaving the sandbox, a tool that has changed. */
const RISKY: ReadonlySet<Layer> = new Set(['protected-path', 'sandbox', 'allow-rule']);

/** Questions that an allow rule would not answer the next time, so that a dialog must not offer one. */
const PAST_RULES: ReadonlySet<Layer> = new Set(['ask-rule', 'protected-path', 'sandbox', 'mode', 'hook']);

function matchedRule({ source = 'session', toolName, ruleContent }: Rule): JsonObject {
  const content = ruleContent === undefined ? {} : { rule_content: ruleContent };
  return { source: source.replace(/^kept:/, ''), tool_name: toolName, ...content };
}
