import { mcpToolName } from '../../mcp/tool-names.ts';
import { coversTool } from '../../permissions/rules.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { AgentDefinition } from '../../wire/agent-definition.ts';
import type { Parts } from '../parts.ts';
import { existingTools } from '../permissions.ts';
import type { AgentType } from './agent-types.ts';

/**
 * The MCP servers of an agent's kind: those that it brings are connected while it works, and their tools are its own.
 * Those that it only names are the session's, and it has them anyway; one that is not there is told.
 */
export async function openAgentServers(child: Parts, signal: AbortSignal): Promise<{ close(): Promise<void> } | null> {
  const { agent } = child;
  const { named, own } = split(agent?.servers ?? []);
  noteMissing(child, agent?.type ?? '', named);
  if (Object.keys(own).length === 0) return null;
  const before = child.tools;
  const servers = await (await child.openMcp()).connectFor(agent?.type ?? '', own, signal);
  child.tools = before.plus(existingTools([...servers.tools], {}, child.permissions.policy));
  return {
    async close() {
      child.tools = before;
      await servers.close();
    },
  };
}

/** The servers of agents that live on between their turns, by name: connected for the first turn, and kept until `close`. */
export interface KeptServers {
  open(name: string, child: Parts, signal: AbortSignal): Promise<void>;
  /** Never rejects. */
  close(name: string): Promise<void>;
}

export function keepAgentServers(): KeptServers {
  const opened = new Map<string, ReturnType<typeof openAgentServers>>();
  const kept: KeptServers = {
    async open(name, child, signal) {
      const known = opened.get(name);
      const opening = known ?? openAgentServers(child, signal);
      opened.set(name, opening);
      let isWhole = false;
      try {
        await opening;
        // A turn that was interrupted has not waited for all of them, and nobody would look again.
        isWhole = known !== undefined || !signal.aborted;
      } finally {
        if (!isWhole) await kept.close(name); // the next turn begins anew
      }
    },
    async close(name) {
      const opening = opened.get(name);
      opened.delete(name);
      const servers = await opening?.catch(() => null); // the turn that opened them has told why
      await servers?.close();
    },
  };
  return kept;
}

/** The same for the agent that the session runs as: what it brings is there as long as the session. */
export async function takeServers(parts: Parts, { definition }: AgentType): Promise<void> {
  const { own } = split(definition.mcpServers ?? []);
  if (Object.keys(own).length > 0) (await parts.openMcp()).addForMain(own);
}

/** Tells the tools of the servers that this kind of agent brings: they are its own, whatever other tools it names. */
export function isBroughtBy({ definition }: AgentType): (toolName: string) => boolean {
  const names = Object.keys(split(definition.mcpServers ?? []).own).map((server) => mcpToolName(server, ''));
  const rules = names.map((name) => ({ toolName: `${name}*` }));
  return (toolName) => rules.some((rule) => coversTool(rule, toolName, 'allow'));
}

function split(servers: NonNullable<AgentDefinition['mcpServers']>): { named: string[]; own: JsonObject } {
  return {
    named: servers.filter((server) => typeof server === 'string'),
    own: Object.assign({}, ...servers.filter((server) => isObject(server))),
  };
}

function noteMissing({ mcp, warnOnce }: Parts, agent: string, named: readonly string[]): void {
  const known = new Map((mcp?.statuses() ?? []).map(({ name, status }) => [name, status]));
  for (const name of named) {
    const status = known.get(name);
    if (status !== 'connected')
      warnOnce(`The agent ${agent} uses the MCP server ${name}, which is ${status ?? 'not there'}`);
  }
}
