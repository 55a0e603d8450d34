/** Why a tool of an embedding program cannot have this name; null when it can. */
export function nameProblem(name: string): string | null {
  if (!NAME.test(name)) {
    return `A tool cannot be named ${JSON.stringify(name)}: 1 to 64 letters, digits, _ and - are possible.`;
  }
  if (name.startsWith('mcp__')) return `A tool cannot be named ${name}: mcp__ is for the tools of MCP servers.`;
  const isTaken = [...RESERVED_NAMES].some((reserved) => reserved.toLowerCase() === name.toLowerCase());
  return isTaken ? `A tool cannot be named ${name}: that is a built-in tool.` : null;
}

/** Why the names of a program's tools collide, with each other or with Heddle's; null when they do not. */
export function namesProblem(names: readonly string[]): string | null {
  for (const name of names) {
    const problem = nameProblem(name);
    if (problem !== null) return problem;
  }
  const twin = names.find((name, at) => names.indexOf(name) !== at);
  return twin === undefined ? null : `Two tools are named ${twin}`;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Heddle's own names, whether a session has the tools or not: rules and users would take a tool with such a name for
 * Heddle's.
 */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  'Agent AskUserQuestion Bash BashOutput Edit EnterPlanMode ExitPlanMode Glob Grep KillShell LS ListMcpResources MultiEdit NotebookEdit Read ReadMcpResource SendMessage Skill StructuredOutput Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoWrite ToolSearch WebFetch WebSearch Write'.split(
    ' ',
  ),
);
