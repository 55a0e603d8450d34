import { expect, test } from 'vitest';
import { teamTools } from '../../../src/tools/agents/team-tools.ts';
import { builtinTools } from '../../../src/tools/builtin-tools.ts';
import { LIST_MCP_RESOURCES, READ_MCP_RESOURCE } from '../../../src/tools/mcp/resource-tools.ts';
import { taskTools } from '../../../src/tools/task-list/task-tools.ts';
import { TODO_WRITE } from '../../../src/tools/task-list/todo-list.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { TOOL_SEARCH } from '../../../src/tools/tool-search.ts';
import { askUserTool } from '../../../src/tools/user/ask-user.ts';
import { createWebFetchTool } from '../../../src/tools/web/web-fetch.ts';
import { webSearchTool } from '../../../src/tools/web/web-search.ts';
import { BUILTIN_TOOL_NAMES } from '../../../src/wire/tools/known-tool-names.ts';
import { LEGACY_TOOL_NAME_ALIASES } from '../../../src/wire/tools/tool-names.ts';

const tools = builtinTools({
  isReadOnly: () => false,
  agents: { listing: '', hasTeams: true, kindOf: () => '' },
  askUser: askUserTool as Tool,
  webFetch: createWebFetchTool({ proxyFor: () => null, proxyAuthorization: () => undefined }) as Tool,
  webSearch: webSearchTool as Tool,
  skill: { name: 'Skill' } as Tool,
  tasks: taskTools,
  teams: teamTools,
});

test('[B-111] the published names are those of all tools that a session can have', () => {
  const others = [TODO_WRITE, TOOL_SEARCH, LIST_MCP_RESOURCES, READ_MCP_RESOURCE];
  const names = [...tools.map(({ name }) => name), ...others];
  expect([...BUILTIN_TOOL_NAMES]).toEqual(names.sort());
});

test('[B-111, K37] the published other names are those that tools answer to', () => {
  const aliases = tools.flatMap((tool) => (tool.aliases ?? []).map((alias) => [alias, tool.name] as const));
  expect(LEGACY_TOOL_NAME_ALIASES).toEqual(Object.fromEntries(aliases));
});
