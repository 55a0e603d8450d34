import type { ConnectedServer } from '../../mcp/connections.ts';
import { instructionsReminder } from '../../mcp/instructions.ts';
import { mcpToolName } from '../../mcp/tool-names.ts';
import type { Policy } from '../../permissions/policy.ts';
import { coversTool } from '../../permissions/rules.ts';
import type { ResourceCatalog } from '../../tools/mcp/resource-tools.ts';
import type { Tool } from '../../tools/tool.ts';
import type { CalledOfServer } from '../extensions/extensions.ts';
import type { CommandLine } from '../extensions/parse-command.ts';
import type { ServedSession } from './served-session.ts';
import { type ServerPolicies, serverPolicies } from './server-policies.ts';
import { calledServerPrompt, type ListedPrompt, listedPrompts } from './server-prompts.ts';
import { resourceCatalog } from './server-resources.ts';
import { openApprovals } from './tool-approvals.ts';

/** The features of servers in addition to tools. */
export interface ServerFeatures {
  readonly resources: ResourceCatalog;
  /** Prompts, as commands of the session. */
  commands(): readonly ListedPrompt[];
  /** The prompt that a command line calls; null when it calls none. */
  calledPrompt(command: CommandLine): CalledOfServer | null;
  /** How servers want to be used, as a reminder for the model; null when no server says anything. */
  instructions(): string | null;
  readonly policies: ServerPolicies;
  /** The connected servers, without those that a deny rule removes as a whole. */
  connected(): readonly ConnectedServer[];
}

export interface FeatureSources {
  connected(): readonly ConnectedServer[];
  /** The tools of servers, as the session has them. */
  tools(): readonly Tool[];
}

/** Servers come and go, so that each call asks which are connected. A server that a deny rule removes offers nothing. */
export function serverFeatures(
  { home, cwd, runtime, permissions }: Pick<ServedSession, 'home' | 'cwd' | 'runtime' | 'permissions'>,
  sources: FeatureSources,
): ServerFeatures {
  const connected = () => sources.connected().filter(({ name }) => !isForbidden(name, permissions.policy));
  const approvals = openApprovals({ home, cwd, tools: sources.tools, log: runtime.log });
  return {
    resources: resourceCatalog(connected),
    connected,
    commands: () => listedPrompts({ connected }),
    calledPrompt: (command) => calledServerPrompt({ connected }, command),
    instructions: () =>
      instructionsReminder(
        connected().map(({ name, client }) => ({ name, instructions: client.details.instructions })),
      ),
    policies: serverPolicies(approvals, runtime.log),
  };
}

function isForbidden(server: string, { deny }: Pick<Policy, 'deny'>): boolean {
  const anyTool = mcpToolName(server, '*');
  return deny.some((rule) => rule.ruleContent === undefined && coversTool(rule, anyTool, 'forbid'));
}
