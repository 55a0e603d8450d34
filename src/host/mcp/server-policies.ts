import type { ServerTool } from '../mcp/connections.ts';
import { typeOf } from '../mcp/server-config.ts';
import { mcpToolName } from '../mcp/tool-names.ts';
import { readToolPolicies, type ToolPolicy } from '../mcp/tool-policy.ts';
import type { Policy } from '../permissions/policy.ts';
import type { Rule } from '../permissions/rules.ts';
import type { Tool } from '../tools/tool.ts';
import type { Logger } from '../util/runtime.ts';
import type { Approvals } from './mcp-approvals.ts';
import type { GivenServer } from './server-sources.ts';

/** What configurations of servers and the host say of permissions, beside the rules: by tool, and by server. */
export interface ServerPolicies {
  /** The policy with all of it, and with the approvals of tools that are what they were. */
  applied(policy: Policy): Policy;
  /** Takes the `tools` of a configuration, in the place of what an earlier one of this key said. */
  declare(server: Pick<GivenServer, 'name' | 'given' | 'scope'>, key?: string): void;
  forget(key: string): void;
  /** The tools are these now: what `always_allow` allows, it allows as it is described for the first time (trust C-6). */
  bind(tools: readonly Tool[], servers: readonly Pick<ServerTool, 'server' | 'info'>[]): void;
  /** Has calls of a server pass in this mode, too, whatever the session's is; null: in that alone. */
  pin(server: string, mode: PinnedMode | null): void;
}

export type PinnedMode = 'default' | 'auto';

/** Whose rules these are. */
const SOURCE = 'mcpServer';

/** Who may have calls run unasked: the launch and the user. A project, a plugin and an agent may only narrow. */
const MAY_ALLOW: ReadonlySet<GivenServer['scope']> = new Set(['dynamic', 'local', 'user']);

export function serverPolicies(approvals: Approvals, log: Logger): ServerPolicies {
  /** By key, which is the name of a server of the session. */
  const declared = new Map<string, Record<ToolPolicy['behavior'], readonly Rule[]>>();
  const modes = new Map<string, PinnedMode>();
  /** Of those that allow, the ones whose tool has been seen. */
  let bound: readonly Rule[] = [];
  const rules = (behavior: 'deny' | 'ask') => [...declared.values()].flatMap((each) => each[behavior]);

  const forget = (key: string) => {
    const allow = declared.get(key)?.allow ?? [];
    approvals.unbind(allow);
    bound = bound.filter((rule) => !allow.includes(rule));
    declared.delete(key);
  };

  return {
    applied: (policy) => ({
      ...policy,
      allow: approvals.holding([...policy.allow, ...bound]),
      deny: [...policy.deny, ...rules('deny')],
      ask: [...policy.ask, ...rules('ask')],
      serverModes: modes,
    }),
    declare({ name, given, scope }, key = name) {
      forget(key);
      const policies = readToolPolicies(given.tools);
      if (policies === null) return;
      const of = (behavior: ToolPolicy['behavior']) =>
        policies.filter((each) => each.behavior === behavior).map(({ tool }) => ruleFor(name, tool));
      const allow = of('allow');
      const mayAllow = MAY_ALLOW.has(scope) && typeOf(given) !== 'sdk';
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

/** By the names of tools. Of two with one name the first is there, and it may be another server's than the policy means. */
function ownersOf(tools: readonly Pick<ServerTool, 'server' | 'info'>[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { server, info } of tools) {
    const name = mcpToolName(server, info.name);
    if (!owners.has(name)) owners.set(name, server);
  }
  return owners;
}
