import { mcpToolName } from '../../mcp/tool-names.ts';
import type { Policy } from '../../permissions/policy.ts';
import { coversTool } from '../../permissions/rules.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { AgentDefinition } from '../../wire/agent-definition.ts';
import type { Lazy } from '../engine/lazy.ts';
import type { AgentType } from '../extensions/agent-kinds.ts';
import type { SessionMcp } from '../mcp/session-mcp.ts';
import { existingTools } from '../permissions/session-permissions.ts';
import type { AgentInfo } from '../thread/identity.ts';
import type { Toolbox } from '../thread/toolbox.ts';

/** The parts of an agent's thread that its servers use. */
export interface ServedThread {
  readonly identity: { readonly agent: Pick<AgentInfo, 'type' | 'servers'> | null };
  readonly permissions: { readonly policy: Pick<Policy, 'deny'> };
  readonly toolbox: Pick<Toolbox, 'lend'>;
  readonly services: AgentServerServices;
}

interface AgentServerServices {
  readonly mcp: Lazy<Pick<SessionMcp, 'connectFor' | 'statuses'>>;
  warnOnce(text: string): void;
}

/**
 * Opens the MCP servers of an agent's kind. Servers that the definition brings are connected while the agent works, and
 * only the agent has their tools. Servers that it only names are the session's; a missing one gets a warning.
 */
export async function openAgentServers(
  child: ServedThread,
  signal: AbortSignal,
): Promise<{ close(): Promise<void> } | null> {
  const { agent } = child.identity;
  const { named, own } = split(agent?.servers ?? []);
  noteMissing(child.services, agent?.type ?? '', named);
  if (Object.keys(own).length === 0) return null;
  const servers = await (await child.services.mcp.open()).connectFor(agent?.type ?? '', own, signal);
  const takeBack = child.toolbox.lend(existingTools([...servers.tools], {}, child.permissions.policy));
  return {
    async close() {
      takeBack();
      await servers.close();
    },
  };
}

/** The servers of agents that outlive their turns, by name: connected in the first turn, and open until `close`. */
export interface OpenAgentServers {
  open(name: string, child: ServedThread, signal: AbortSignal): Promise<void>;
  /** Never rejects. */
  close(name: string): Promise<void>;
}

export function agentServersByName(): OpenAgentServers {
  const opened = new Map<string, ReturnType<typeof openAgentServers>>();
  const kept: OpenAgentServers = {
    async open(name, child, signal) {
      const known = opened.get(name);
      const opening = known ?? openAgentServers(child, signal);
      opened.set(name, opening);
      let isWhole = false;
      try {
        await opening;
        // An interrupted turn has not waited for all servers, and no later turn would check again.
        isWhole = known !== undefined || !signal.aborted;
      } finally {
        if (!isWhole) await kept.close(name); // the next turn connects again
      }
    },
    async close(name) {
      const opening = opened.get(name);
      opened.delete(name);
      const servers = await opening?.catch(() => null); // the turn that opened them has reported the error
      await servers?.close();
    },
  };
  return kept;
}

/** Adds the servers of the agent that the session runs as. They stay until the session ends. */
export async function takeServers(mcp: Lazy<Pick<SessionMcp, 'addForMain'>>, { definition }: AgentType): Promise<void> {
  const { own } = split(definition.mcpServers ?? []);
  if (Object.keys(own).length > 0) (await mcp.open()).addForMain(own);
}

/** Recognizes the tools of servers that this kind of agent brings. It has them, whichever other tools it names. */
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

function noteMissing({ mcp, warnOnce }: AgentServerServices, agent: string, named: readonly string[]): void {
  const known = new Map((mcp.current?.statuses() ?? []).map(({ name, status }) => [name, status]));
  for (const name of named) {
    const status = known.get(name);
    if (status !== 'connected')
      warnOnce(`The agent ${agent} uses the MCP server ${name}, which is ${status ?? 'not there'}`);
  }
}
