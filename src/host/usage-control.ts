import type { ApiMessage } from '../model/model.ts';
import { stringField } from '../util/json.ts';
import type { ContextUsage, SessionUsage } from '../wire/control/index.ts';
import type { ControlBody } from '../wire/peer.ts';
import { contextShares, estimateTokens } from './context-shares.ts';
import { costReport } from './local-commands.ts';
import type { Parts } from './parts.ts';
import { requestSettings } from './request-settings.ts';

/** The control requests about what a session uses. Nothing is asked of the model for them. */

/** `get_context_usage`: estimates, but for the total, which is the API's own count where there is one. */
export function getContextUsage(parts: Parts, { detail }: ControlBody): ContextUsage {
  const { context, messages } = parts;
  const { model, system, tools } = requestSettings(parts, parts.chosen);
  const shares = contextShares({ system, tools, messages }, context.tokens);
  const ofServers = tools.filter(({ name }) => name.startsWith('mcp__'));
  const serverTokens = ofServers.length === 0 ? 0 : estimateTokens(ofServers);
  const ownTokens = shares.tools - serverTokens;
  const buffer = context.compactAt === null ? 0 : Math.max(0, context.window - context.compactAt);
  return {
    categories: [
      { id: 'system_prompt', name: 'System prompt', tokens: shares.system, kind: 'used' },
      { id: 'system_tools', name: 'Tools', tokens: ownTokens, kind: 'used' },
      { id: 'mcp_tools', name: 'MCP tools', tokens: serverTokens, kind: 'used' },
      // The rest of what was counted, so that the categories add up to it.
      {
        id: 'messages',
        name: 'Messages',
        tokens: Math.max(0, shares.used - shares.system - shares.tools),
        kind: 'used',
      },
      { id: 'autocompact_buffer', name: 'Kept free for compaction', tokens: buffer, kind: 'buffer' },
      { id: 'free_space', name: 'Free', tokens: Math.max(0, context.window - buffer - shares.used), kind: 'free' },
    ],
    totalTokens: shares.used,
    maxTokens: context.window,
    rawMaxTokens: context.window,
    percentage: Math.round((100 * shares.used) / context.window),
    gridRows: [],
    model,
    memoryFiles: [],
    mcpTools: ofServers.map((tool) => ({ name: tool.name, tokens: estimateTokens(tool) })),
    agents: [],
    isAutoCompactEnabled: context.compactAt !== null,
    ...(context.compactAt !== null && { autoCompactThreshold: context.compactAt }),
    ...(detail !== 'summary' && { messageBreakdown: breakdownOf(messages) }),
  };
}

/** `get_session_cost`: the text that `/cost` shows. */
export function getSessionCost(parts: Parts): { text: string } {
  return { text: costReport({ ledger: parts.ledger, elapsedMs: elapsedMs(parts) }) };
}

/** `get_usage`: the same in numbers. There is no subscription whose limits could be told. */
export function getUsage(parts: Parts): SessionUsage {
  const { costUsd, apiMs, modelUsage } = parts.ledger;
  return {
    session: {
      total_cost_usd: costUsd,
      total_api_duration_ms: apiMs,
      total_duration_ms: elapsedMs(parts),
      model_usage: modelUsage,
    },
    subscription_type: null,
    rate_limits_available: false,
    rate_limits: null,
  };
}

function elapsedMs({ runtime, openedAt }: Parts): number {
  return runtime.clock.now() - openedAt;
}

function breakdownOf(messages: readonly ApiMessage[]): NonNullable<ContextUsage['messageBreakdown']> {
  const breakdown = { toolCallTokens: 0, toolResultTokens: 0, assistantMessageTokens: 0, userMessageTokens: 0 };
  const byTool = new Map<string, { name: string; callTokens: number; resultTokens: number }>();
  const toolOfCall = new Map<string, string>();
  const toolNamed = (name: string) => {
    const found = byTool.get(name) ?? { name, callTokens: 0, resultTokens: 0 };
    byTool.set(name, found);
    return found;
  };
  for (const { role, content } of messages) {
    for (const block of content) {
      const tokens = estimateTokens(block);
      if (block.type === 'tool_use') {
        const name = stringField(block, 'name') ?? '';
        toolOfCall.set(stringField(block, 'id') ?? '', name);
        breakdown.toolCallTokens += tokens;
        toolNamed(name).callTokens += tokens;
      } else if (block.type === 'tool_result') {
        breakdown.toolResultTokens += tokens;
        toolNamed(toolOfCall.get(stringField(block, 'tool_use_id') ?? '') ?? '').resultTokens += tokens;
      } else if (role === 'assistant') breakdown.assistantMessageTokens += tokens;
      else breakdown.userMessageTokens += tokens;
    }
  }
  return { ...breakdown, toolCallsByType: [...byTool.values()] };
}
