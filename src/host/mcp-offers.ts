import type { ConnectedServer } from '../mcp/connections.ts';
import { instructionsReminder } from '../mcp/instructions.ts';
import { mcpToolName } from '../mcp/tool-names.ts';
import { coversTool } from '../permissions/rules.ts';
import type { ResourceShelf } from '../tools/list-mcp-resources.ts';
import type { Tool } from '../tools/tool.ts';
import type { CommandLine } from './command-line.ts';
import type { ListedCommand } from './command-list.ts';
import type { CalledOfServer } from './extensions.ts';
import { type Approvals, openApprovals } from './mcp-approvals.ts';
import { type ServerPolicies, serverPolicies } from './mcp-policy.ts';
import { calledServerPrompt, listedPrompts } from './mcp-prompts.ts';
import { resourceShelf, resourceTools } from './mcp-resources.ts';
import type { Parts } from './parts.ts';

/** What servers have beside tools, and what becomes of it in a session. */
export interface ServerOffers {
  readonly resources: ResourceShelf;
  /** Prompts, as commands of the session. */
  commands(): readonly ListedCommand[];
  /** The prompt that a command line calls; null when it is none. */
  calledPrompt(command: CommandLine): CalledOfServer | null;
  /** What the model is told of the use of servers; null when there is nothing to tell. */
  instructions(): string | null;
  /** The directories that are worked in are others now. */
  rootsChanged(): void;
  readonly approvals: Approvals;
  readonly policies: ServerPolicies;
  /** Those that are connected, and that no rule takes away as a whole. */
  connected(): readonly ConnectedServer[];
}

export interface OffersOptions {
  connected(): readonly ConnectedServer[];
  /** The tools of servers, as the session has them. */
  tools(): readonly Tool[];
}

/** `parts` is asked late: some of it changes. What a deny rule takes away as a whole offers nothing. */
export function serverOffers(
  parts: () => Parts,
  options: OffersOptions,
): ServerOffers & { resourceTools(limits: { maxResultChars: number }): Tool[] } {
  const connected = () => options.connected().filter(({ name }) => !isForbidden(name, parts()));
  const resources = resourceShelf(connected);
  const { home, workspace, runtime } = parts();
  const approvals = openApprovals({ home, cwd: workspace.cwd, tools: options.tools, log: runtime.log });
  return {
    resources,
    connected,
    resourceTools: (limits) => resourceTools(resources, limits),
    commands: () => listedPrompts({ connected }),
    calledPrompt: (command) => calledServerPrompt({ connected }, command),
    instructions: () =>
      instructionsReminder(connected().map(({ name, client }) => ({ name, instructions: client.facts.instructions }))),
    rootsChanged() {
      for (const { client } of options.connected()) void client.tell('notifications/roots/list_changed');
    },
    approvals,
    policies: serverPolicies(approvals, runtime.log),
  };
}

function isForbidden(server: string, { permissions }: Parts): boolean {
  const anyTool = mcpToolName(server, '*');
  return permissions.policy.deny.some((rule) => rule.ruleContent === undefined && coversTool(rule, anyTool, 'forbid'));
}
