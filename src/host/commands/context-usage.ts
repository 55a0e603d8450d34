import type { ApiMessage, ApiTool } from '../../model/model.ts';
import { stringField } from '../../util/json.ts';
import type { ContextUsage } from '../../wire/control/index.ts';
import type { ContextReport } from '../../wire/messages/reports.ts';
import { type AgentSource, agentTypes } from '../extensions/agent-kinds.ts';
import type { ExtensionSet } from '../extensions/extension-set.ts';
import type { SessionMemory } from '../extensions/session-memory.ts';
import { requestSettings } from '../models/request-settings.ts';
import { requestingIn } from '../thread/make-turn.ts';
import type { Thread } from '../thread/thread.ts';
import { contextShares, estimateTokens } from './local-commands.ts';

/** What fills the context window. All numbers are estimates but the total, which is the API's count where there is one. */
export async function contextUsage(thread: Thread, { isSummary }: { isSummary: boolean }): Promise<ContextUsage> {
  const { services, conversation } = thread;
  const { window: context, messages } = conversation;
  const { model, system, tools } = requestSettings(requestingIn(thread), thread.model.selected);
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
      // The rest of the total, so that the categories add up to it.
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
    memoryFiles: await memoryIn(conversation.memory),
    mcpTools: ofServers.map((tool) => ({
      name: tool.name,
      serverName: tool.name.slice(MCP.length).split('__', 1)[0] ?? '',
      tokens: estimateTokens(tool),
      isLoaded: true,
    })),
    systemTools: tools.filter(({ name }) => !name.startsWith(MCP)).map(withTokens),
    agents: agentsIn(services.agents.sources),
    ...skillsIn(services.extensions),
    isAutoCompactEnabled: context.compactAt !== null,
    ...(context.compactAt !== null && { autoCompactThreshold: context.compactAt }),
    ...(!isSummary && { messageBreakdown: breakdownOf(messages) }),
    apiUsage: context.counted ?? null,
  };
}

/** The same for programs that read the output of `/context`. */
export async function contextReport(thread: Thread): Promise<ContextReport> {
  const usage = await contextUsage(thread, { isSummary: true });
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

/** The memory files that the model has been sent. */
async function memoryIn(memory: SessionMemory): Promise<ContextUsage['memoryFiles']> {
  const listed = await memory.list();
  return listed.flatMap(({ path, kind, bytes }) =>
    bytes === null ? [] : [{ path, type: kind, tokens: Math.ceil(bytes / BYTES_PER_TOKEN) }],
  );
}

/** What the listing of agents takes that do not come with the program. */
function agentsIn(sources: AgentSource): ContextUsage['agents'] {
  return agentTypes(sources).flatMap(({ name, source, definition: { description } }) =>
    source === 'built-in' ? [] : [{ agentType: name, source, tokens: estimateTokens([name, description]) }],
  );
}

/** What the listing of skills takes; empty where the model knows of none. */
function skillsIn({ current, enabledSkills }: ExtensionSet): Pick<ContextUsage, 'skills'> {
  const listing = current.listing(enabledSkills);
  if (listing === null) return {};
  const listed = current.skills.filter(({ name }) => listing.includes(name));
  return {
    skills: {
      totalSkills: current.skills.length,
      includedSkills: listed.length,
      tokens: estimateTokens(listing),
      skillFrontmatter: listed.map(({ name, scope, path, description }) => ({
        name,
        source: scope,
        ...(path !== null && { path }),
        tokens: estimateTokens([name, description]),
      })),
    },
  };
}

const BYTES_PER_TOKEN = 4;

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
    const tool = byTool.get(name) ?? { name, callTokens: 0, resultTokens: 0 };
    byTool.set(name, tool);
    return tool;
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

/** How texts begin that the runtime adds to the conversation. */
const REMINDER = '<system-reminder>';
