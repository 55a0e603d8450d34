import { typeOf } from '../../mcp/config/server-config.ts';
import { readToolPolicies, type ToolPolicy } from '../../mcp/config/tool-policy.ts';
import type { ServerTool } from '../../mcp/connections.ts';
import { mcpToolName } from '../../mcp/tool-names.ts';
import type { Policy } from '../../permissions/policy.ts';
import type { Rule } from '../../permissions/rules.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Logger } from '../../util/runtime.ts';
import type { ConfiguredServer } from './find-servers.ts';
import type { Approvals } from './tool-approvals.ts';

/** Permissions that the configurations of servers and the host set, by tool and by server, in addition to the rules. */
export interface ServerPolicies {
  readonly approvals: Approvals;
  /** The policy with these permissions, and with the approvals of tools that have not changed since. */
  applied(policy: Policy): Policy;
  /** Reads the `tools` of a configuration. They replace those of an earlier configuration with the same key. */
  declare(server: Pick<ConfiguredServer, 'name' | 'raw' | 'scope'>, key?: string): void;
  forget(key: string): void;
  /** Sets the tools. `always_allow` is for a tool as it describes itself the first time. */
  bind(tools: readonly Tool[], servers: readonly Pick<ServerTool, 'server' | 'info'>[]): void;
  /** Judges calls of a server in this mode, too, whatever the session's mode is; null: only in that of the session. */
  pin(server: string, mode: PinnedMode | null): void;
}

export type PinnedMode = 'default' | 'auto';

/** The source of these rules. */
const SOURCE = 'mcpServer';

/** Scopes that may allow calls: the launch and the user. A project, a plugin and an agent may only deny or ask. */
const MAY_ALLOW: ReadonlySet<ConfiguredServer['scope']> = new Set(['dynamic', 'local', 'user']);

export function serverPolicies(approvals: Approvals, log: Logger): ServerPolicies {
  /** By key, which is the name of the server for servers of the session. */
  const declared = new Map<string, Record<ToolPolicy['behavior'], readonly Rule[]>>();
  const modes = new Map<string, PinnedMode>();
  /** The allow rules whose tool has been seen. */
  let bound: readonly Rule[] = [];
  const rules = (behavior: 'deny' | 'ask') => [...declared.values()].flatMap((each) => each[behavior]);

  const forget = (key: string) => {
    const allow = declared.get(key)?.allow ?? [];
    approvals.unbind(allow);
    bound = bound.filter((rule) => !allow.includes(rule));
    declared.delete(key);
  };

  return {
    approvals,
    applied: (policy) => ({
      ...policy,
      allow: approvals.holding([...policy.allow, ...bound]),
      deny: [...policy.deny, ...rules('deny')],
      ask: [...policy.ask, ...rules('ask')],
      serverModes: modes,
    }),
    declare({ name, raw, scope }, key = name) {
      forget(key);
      const policies = readToolPolicies(raw.tools);
      if (policies === null) return;
      const of = (behavior: ToolPolicy['behavior']) =>
        policies.filter((each) => each.behavior === behavior).map(({ tool }) => ruleFor(name, tool));
      const allow = of('allow');
      const mayAllow = MAY_ALLOW.has(scope) && typeOf(raw) !== 'sdk';
      if (!mayAllow && allow.length > 0) log('warn', `The MCP server ${name}: always_allow has no effect here`);
      declared.set(key, { allow: mayAllow ? allow : [], ask: of('ask'), deny: of('deny') });
    },
    forget,
    bind(tools, servers) {
      bound = [...ownersOf(servers)].flatMap(([toolName, server]) => {
        const rule = declared.get(server)?.allow.find((each) => each.toolName === toolName);
        const tool = rule && tools.find(({ name }) => name === toolName);
        if (!tool) return [];
        approvals.bind(rule, tool);
        return rule;
      });
    },
    pin(server, mode) {
      const tools = mcpToolName(server, '').concat('*');
      if (mode === null) modes.delete(tools);
      else modes.set(tools, mode);
    },
  };
}

function ruleFor(server: string, tool: string): Rule {
  return { toolName: mcpToolName(server, tool), source: SOURCE, where: `the tools of the MCP server ${server}` };
}

/** The server of each tool, by the tool's name. Of two tools with one name the session has the first. */
function ownersOf(tools: readonly Pick<ServerTool, 'server' | 'info'>[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { server, info } of tools) {
    const name = mcpToolName(server, info.name);
    if (!owners.has(name)) owners.set(name, server);
  }
  return owners;
}
