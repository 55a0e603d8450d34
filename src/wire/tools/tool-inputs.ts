/**
 * The inputs of tool calls, under the names that hosts of the reference import. Fields that have a default are optional
 * here. A test compares these types with the schemas of the tools.
 */

/** Bash: runs a command line. */
export interface BashInput {
  command: string;
  /** Milliseconds after which Heddle ends the command. */
  timeout?: number;
  /** What the command does, in a few words. */
  description?: string;
  /** The call returns at once; the command continues. */
  run_in_background?: boolean;
  /** Asks to run outside of the sandbox. */
  dangerouslyDisableSandbox?: boolean;
}

/** Read: shows a file. */
export interface FileReadInput {
  file_path: string;
  /** Line to start at; the first is 1. */
  offset?: number;
  /** The number of lines. */
  limit?: number;
  /** Pages of a PDF, such as `1-5`. */
  pages?: string;
}

/** Write: creates or replaces a file. */
export interface FileWriteInput {
  file_path: string;
  content: string;
}

/** Edit: replaces exact text in a file. */
export interface FileEditInput {
  file_path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
}

/** NotebookEdit: changes a cell of a notebook. */
export interface NotebookEditInput {
  notebook_path: string;
  cell_id?: string;
  new_source: string;
  cell_type?: 'code' | 'markdown';
  edit_mode?: 'replace' | 'insert' | 'delete';
}

/** Glob: finds files by name. */
export interface GlobInput {
  pattern: string;
  path?: string;
}

/** Grep: searches the contents of files. */
export interface GrepInput {
  pattern: string;
  path?: string;
  glob?: string;
  output_mode?: 'content' | 'files_with_matches' | 'count';
  '-B'?: number;
  '-A'?: number;
  '-C'?: number;
  context?: number;
  '-n'?: boolean;
  '-i'?: boolean;
  '-o'?: boolean;
  type?: string;
  head_limit?: number;
  offset?: number;
  multiline?: boolean;
}

/** WebFetch: asks a question about a page. */
export interface WebFetchInput {
  url: string;
  prompt: string;
  /** The position in the text of the page to begin at, in characters. */
  offset?: number;
}

/** WebSearch: searches the web. */
export interface WebSearchInput {
  query: string;
  allowed_domains?: string[];
  blocked_domains?: string[];
}

/** TodoWrite: replaces the todo list. */
export interface TodoWriteInput {
  todos: { content: string; status: 'pending' | 'in_progress' | 'completed'; activeForm: string }[];
}

/** TaskCreate: adds a task to the list. */
export interface TaskCreateInput {
  subject: string;
  description: string;
  activeForm?: string;
  metadata?: Record<string, unknown>;
}

/** TaskGet: shows a task. */
export interface TaskGetInput {
  taskId: string;
}

/** TaskUpdate: changes a task. */
export interface TaskUpdateInput {
  taskId: string;
  status?: 'pending' | 'in_progress' | 'completed' | 'deleted';
  subject?: string;
  description?: string;
  activeForm?: string;
  owner?: string;
  addBlocks?: string[];
  addBlockedBy?: string[];
}

/** TaskList: shows all tasks. */
export type TaskListInput = Record<string, never>;

/** EnterPlanMode: changes to plan mode. */
export type EnterPlanModeInput = Record<string, never>;

/** ExitPlanMode: asks the user to approve the plan. */
export interface ExitPlanModeInput {
  plan?: string;
  allowedPrompts?: { tool: string; prompt: string }[];
  [other: string]: unknown;
}

/** AskUserQuestion: asks the user. A host allows the call with `answers` in its input: the question's text → the answer. */
export interface AskUserQuestionInput {
  questions: {
    question: string;
    header: string;
    options: { label: string; description: string; preview?: string }[];
    multiSelect?: boolean;
  }[];
  answers?: Record<string, string>;
  annotations?: Record<string, { preview?: string; notes?: string }>;
  metadata?: Record<string, unknown>;
}

/** ToolSearch: finds and loads tools that are not part of every request. */
export interface ToolSearchInput {
  query: string;
  max_results?: number;
}

/** The input of an MCP tool. The server defines it. */
export type McpInput = Record<string, unknown>;

/** Task, also called Agent: starts a subagent. */
export interface AgentInput {
  description: string;
  prompt: string;
  subagent_type?: string;
  model?: string;
  resume?: string;
  run_in_background?: boolean;
  /** The agent works in its own git worktree. */
  isolation?: 'worktree';
  max_turns?: number;
  name?: string;
  team_name?: string;
  mode?: string;
}

/** TaskOutput: reads the output of a background task. */
export interface TaskOutputInput {
  task_id: string;
  block: boolean;
  timeout: number;
}

/** TaskStop: ends a background task. */
export interface TaskStopInput {
  task_id?: string;
  shell_id?: string;
}

/** Skill: loads a skill. */
export interface SkillInput {
  skill: string;
  args?: string;
}

/** ListMcpResourcesTool: lists the resources of MCP servers. */
export interface ListMcpResourcesInput {
  server?: string;
}

/** ReadMcpResourceTool: reads a resource of an MCP server. */
export interface ReadMcpResourceInput {
  server: string;
  uri: string;
}
