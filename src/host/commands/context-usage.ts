import { toolStats } from '../agent/tool-stats.ts';
import type { ApiMessage, ApiTool } from '../model/model.ts';
import { stringField } from '../util/json.ts';
import type { ContextUsage, SessionUsage } from '../wire/control/index.ts';
import type { ContextReport } from '../wire/messages/reports.ts';
import type { ControlBody } from '../wire/peer.ts';
import { agentTypes } from './agents/agent-types.ts';
import { contextShares, estimateTokens } from './context-shares.ts';
import { costReport } from './local-commands.ts';
import type { Parts } from './parts.ts';
import { requestSettings } from './request-settings.ts';

/** The control requests about what a session uses. Nothing is asked of the model for them. */

/** `get_context_usage`: estimates, but for the total, which is the API's own count where there is one. */
export async function getContextUsage(parts: Parts, { detail }: ControlBody): Promise<ContextUsage> {
  const { context, messages } = parts;
  const { model, system, tools } = requestSettings(parts, parts.chosen);
  const shares = contextShares({ system, tools, messages }, context.tokens);
  const ofServers = tools.filter(({ name }) => name.startsWith(MCP));
  const serverTokens = sumOf(ofServers.map(estimateTokens));
  const buffer = context.compactAt === null ? 0 : Math.max(0, context.window - context.compactAt);
  const category = (id: Category['id'], name: string, tokens: number, kind: Category['kind'] = 'used'): Category => {
    return { id, name, tokens, color: COLOURS[kind], kind };
  };
  return {
    categories: [
      category('system_prompt', 'System prompt', shares.system),
      category('system_tools', 'Tools', Math.max(0, shares.tools - serverTokens)),
      category('mcp_tools', 'MCP tools', serverTokens),
      // The rest of what was counted, so that the categories add up to it.
      category('messages', 'Messages', Math.max(0, shares.used - shares.system - shares.tools)),
      category('autocompact_buffer', 'Kept free for compaction', buffer, 'buffer'),
      category('free_space', 'Free', Math.max(0, context.window - buffer - shares.used), 'free'),
    ],
    totalTokens: shares.used,
    maxTokens: context.window,
    rawMaxTokens: context.window,
    percentage: Math.round((100 * shares.used) / context.window),
    gridRows: [],
    model,
    memoryFiles: await memoryIn(parts),
    mcpTools: ofServers.map((tool) => ({
      name: tool.name,
      serverName: tool.name.slice(MCP.length).split('__', 1)[0] ?? '',
      tokens: estimateTokens(tool),
      isLoaded: true,
    })),
    systemTools: tools.filter(({ name }) => !name.startsWith(MCP)).map(withTokens),
    agents: agentsIn(parts),
    ...skillsIn(parts),
    isAutoCompactEnabled: context.compactAt !== null,
    ...(context.compactAt !== null && { autoCompactThreshold: context.compactAt }),
    ...(detail !== 'summary' && { messageBreakdown: breakdownOf(messages) }),
    apiUsage: context.counted ?? null,
  };
}

/** The same as `/context` tells it to programs. */
export async function contextReport(parts: Parts): Promise<ContextReport> {
  const usage = await getContextUsage(parts, { subtype: 'get_context_usage', detail: 'summary' });
  const over = usage.totalTokens - usage.maxTokens;
  return {
    model: usage.model,
    total_tokens: usage.totalTokens,
    raw_max_tokens: usage.rawMaxTokens,
    percentage: usage.percentage,
    ...(over > 0 && { over_limit: { tokens_over: over, kind: 'hard_limit' as const } }),
    categories: usage.categories.map(({ name, tokens, kind }) => ({ name, tokens, kind })),
    mcp_tools: usage.mcpTools.map(({ name, serverName, tokens }) => ({ name, server_name: serverName, tokens })),
    memory_files: usage.memoryFiles.map(({ path, type, tokens }) => ({ path, type, tokens })),
    agents: usage.agents.map(({ agentType, source, tokens }) => ({ agent_type: agentType, source, tokens })),
    ...(usage.skills && {
      skills: usage.skills.skillFrontmatter.map(({ name, source, pluginName, tokens }) => ({
        name,
        source,
        ...(pluginName !== undefined && { plugin_name: pluginName }),
        tokens,
      })),
    }),
  };
}

const MCP = 'mcp__';
const COLOURS = { used: 'blue', buffer: 'yellow', free: 'gray', deferred: 'gray' } as const;
type Category = ContextUsage['categories'][number];

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function withTokens(tool: ApiTool): { name: string; tokens: number } {
  return { name: tool.name, tokens: estimateTokens(tool) };
}

/** Those of which the model was told. */
async function memoryIn({ memory }: Parts): Promise<ContextUsage['memoryFiles']> {
  const listed = await memory.list();
  return listed.flatMap(({ path, kind, bytes }) =>
    bytes === null ? [] : [{ path, type: kind, tokens: Math.ceil(bytes / BYTES_PER_TOKEN) }],
  );
}

/** What the model is told of agents that do not come along. */
function agentsIn(parts: Parts): ContextUsage['agents'] {
  return agentTypes(parts).flatMap(({ name, source, definition: { description } }) =>
    source === 'built-in' ? [] : [{ agentType: name, source, tokens: estimateTokens([name, description]) }],
  );
}

/** What the model is told of skills; nothing where it knows of none. */
function skillsIn({ extensions, enabledSkills }: Parts): Pick<ContextUsage, 'skills'> {
  const listing = extensions.listing(enabledSkills);
  if (listing === null) return {};
  const told = extensions.skills.filter(({ name }) => listing.includes(name));
  return {
    skills: {
      totalSkills: extensions.skills.length,
      includedSkills: told.length,
      tokens: estimateTokens(listing),
      skillFrontmatter: told.map(({ name, scope, path, description }) => ({
        name,
        source: scope,
        ...(path !== null && { path }),
        tokens: estimateTokens([name, description]),
      })),
    },
  };
}

const BYTES_PER_TOKEN = 4;

/** `get_session_cost`: the text that `/cost` shows. */
export function getSessionCost(parts: Parts): { text: string } {
  return { text: costReport({ ledger: parts.ledger, elapsedMs: elapsedMs(parts) }) };
}

/** `get_usage`: the same in numbers. There is no subscription whose limits could be told. */
export function getUsage(parts: Parts): SessionUsage {
  const { costUsd, apiMs, modelUsage } = parts.ledger;
  const { linesAdded, linesRemoved } = toolStats(parts.ledger);
  return {
    session: {
      total_cost_usd: costUsd,
      total_api_duration_ms: apiMs,
      total_duration_ms: elapsedMs(parts),
      total_lines_added: linesAdded,
      total_lines_removed: linesRemoved,
      model_usage: modelUsage,
    },
    subscription_type: null,
    rate_limits_available: false,
    rate_limits: null,
    behaviors: null,
  };
}

function elapsedMs({ runtime, openedAt }: Parts): number {
  return runtime.clock.now() - openedAt;
}

function breakdownOf(messages: readonly ApiMessage[]): NonNullable<ContextUsage['messageBreakdown']> {
  const breakdown = {
    toolCallTokens: 0,
    toolResultTokens: 0,
    attachmentTokens: 0,
    assistantMessageTokens: 0,
    userMessageTokens: 0,
    redirectedContextTokens: 0,
    unattributedTokens: 0,
  };
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
      else if (stringField(block, 'text')?.startsWith(REMINDER)) breakdown.attachmentTokens += tokens;
      else breakdown.userMessageTokens += tokens;
    }
  }
  const { attachmentTokens } = breakdown;
  const attachmentsByType = attachmentTokens === 0 ? [] : [{ name: 'system-reminder', tokens: attachmentTokens }];
  return { ...breakdown, toolCallsByType: [...byTool.values()], attachmentsByType };
}

/** What the runtime tells the model of its own accord. */
const REMINDER = '<system-reminder>';
