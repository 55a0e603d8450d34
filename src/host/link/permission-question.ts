import type { AskRequest } from '../agent/gate.ts';
import type { Rule } from '../permissions/rules.ts';
import type { JsonObject } from '../util/json.ts';
import type { ControlBody } from '../wire/peer.ts';
import { questionText } from './question-text.ts';

type Layer = AskRequest['decision']['layer'];

/** The request in which a host is asked about a call, with all that it needs for a dialog. */
export function canUseTool(request: AskRequest): ControlBody {
  const { toolName, input, toolUseId, decision, agentId, server } = request;
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
  };
}

/** What is not to be approved by a stray key: own settings, the way out of the sandbox, a tool that is another by now. */
const RISKY: ReadonlySet<Layer> = new Set(['protected-path', 'sandbox', 'allow-rule']);

/** Questions that an allow rule would not answer the next time: whoever offers one promises what does not hold. */
const PAST_RULES: ReadonlySet<Layer> = new Set(['ask-rule', 'protected-path', 'sandbox', 'mode', 'hook']);

function matchedRule({ source = 'session', toolName, ruleContent }: Rule): JsonObject {
  const content = ruleContent === undefined ? {} : { rule_content: ruleContent };
  return { source: source.replace(/^kept:/, ''), tool_name: toolName, ...content };
}
