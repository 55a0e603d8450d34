/**
 * The structured output of tools: `tool_use_result` of the user message that carries the result. Heddle's tools build
 * their data from these types. Texts are shortened where a line would become too long; later versions may add fields.
 */

/** One place where two texts differ, as in a unified diff. */
export interface PatchHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each begins with a space, `-` or `+`. */
  lines: string[];
}

/** Bash. When a command fails, `tool_use_result` is a text instead. */
export interface BashOutput {
  stdout: string;
  stderr: string;
  interrupted: boolean;
  isImage: boolean;
  noOutputExpected: boolean;
  /** Set when the command continues in the background. */
  backgroundTaskId?: string;
  backgroundedByUser?: boolean;
  /** The file with all of stdout and its size in bytes, where stdout is longer than the text shown. */
  persistedOutputPath?: string;
  persistedOutputSize?: number;
  /** What the command did with git, as far as Heddle recognises it. */
  gitOperation?: GitOperation;
  /** Heddle's own: the files that the command has changed, in a session with file checkpoints; at most twenty. */
  changedFiles?: BashFileChange[];
}

/** A file that a command has changed. */
export interface BashFileChange {
  filePath: string;
  type: 'create' | 'update' | 'delete';
  structuredPatch: PatchHunk[];
  /** The whole file as it was, where it is small. */
  originalFile?: string;
  /** The whole of a new file, where it is small. */
  content?: string;
}

/** Only for display; Heddle decides nothing by it. */
export interface GitOperation {
  commit?: { sha: string; kind: 'committed' | 'amended' | 'cherry-picked'; branch?: string };
  push?: { branch: string };
  branch?: { ref: string; action: 'merged' | 'rebased' };
  pr?: { number: number; url?: string; action: 'created' };
}

/** Read, by kind of file. */
export type FileReadOutput =
  | {
      type: 'text';
      file: { filePath: string; content: string; numLines: number; startLine: number; totalLines: number };
    }
  | {
      type: 'image';
      file: {
        base64: string;
        type: string;
        originalSize: number;
        dimensions: { originalWidth: number; originalHeight: number; displayWidth: number; displayHeight: number };
      };
    }
  | {
      type: 'pdf';
      file: {
        filePath: string;
        base64: string;
        originalSize: number;
        totalPages: number | null;
        pages?: readonly number[];
      };
    }
  | { type: 'notebook'; file: { filePath: string; cells: unknown[]; totalCells: number } };

/** Write. */
export interface FileWriteOutput {
  type: 'create' | 'update';
  filePath: string;
  content: string;
  structuredPatch: PatchHunk[];
  /** Null for a new file. */
  originalFile: string | null;
}

/** Edit. */
export interface FileEditOutput {
  filePath: string;
  oldString: string;
  newString: string;
  originalFile: string | null;
  structuredPatch: PatchHunk[];
  userModified: boolean;
  replaceAll: boolean;
}

/** NotebookEdit. */
export interface NotebookEditOutput {
  new_source: string;
  cell_id?: string;
  cell_type: string;
  language: string;
  edit_mode: string;
  error?: string;
  notebook_path: string;
  original_file: string;
  updated_file: string;
}

/** Glob. */
export interface GlobOutput {
  filenames: string[];
  durationMs: number;
  numFiles: number;
  truncated: boolean;
  /** The number of all matches; a lower bound where `countIsComplete` is false. */
  totalMatches?: number;
  countIsComplete?: boolean;
}

/** Grep. */
export interface GrepOutput {
  mode: 'content' | 'files_with_matches' | 'count';
  numFiles: number;
  filenames: string[];
  content?: string;
  numLines?: number;
  numMatches?: number;
  appliedLimit?: number;
  appliedOffset?: number;
}

/** WebFetch. */
export interface WebFetchOutput {
  bytes: number;
  code: number;
  codeText: string;
  result: string;
  durationMs: number;
  url: string;
}

/** WebSearch: the hits, and the model's text about them. */
export interface WebSearchOutput {
  query: string;
  results: (string | { tool_use_id: string; content: { title: string; url: string }[] })[];
  durationSeconds: number;
}

interface TodoItem {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
  activeForm: string;
}

/** TodoWrite. */
export interface TodoWriteOutput {
  oldTodos: readonly TodoItem[];
  newTodos: readonly TodoItem[];
}

type TaskStatus = 'pending' | 'in_progress' | 'completed';

/** TaskCreate. */
export interface TaskCreateOutput {
  task: { id: string; subject: string };
}

/** TaskGet. */
export interface TaskGetOutput {
  task: {
    id: string;
    subject: string;
    description: string;
    status: TaskStatus;
    blocks: string[];
    blockedBy: string[];
  };
}

/** TaskUpdate. */
export interface TaskUpdateOutput {
  success: boolean;
  taskId: string;
  updatedFields: string[];
  statusChange?: { from: string; to: string };
}

/** TaskList. */
export interface TaskListOutput {
  tasks: { id: string; subject: string; status: TaskStatus; owner?: string; blockedBy: string[] }[];
}

/** EnterPlanMode. */
export interface EnterPlanModeOutput {
  message: string;
}

/** ExitPlanMode. */
export interface ExitPlanModeOutput {
  plan: string | null;
  isAgent: boolean;
  filePath: string | null;
}

/** AskUserQuestion: the questions, and the user's answers. */
export interface AskUserQuestionOutput {
  questions: {
    question: string;
    header: string;
    options: { label: string; description: string; preview?: string }[];
    multiSelect: boolean;
  }[];
  answers: Record<string, string>;
  annotations?: Record<string, { preview?: string; notes?: string }>;
}

/** ToolSearch: the tools that it loaded. */
export interface ToolSearchOutput {
  matches: string[];
  query: string;
  total_deferred_tools: number;
}

/** Task, for an agent that the call waited for. */
export interface AgentOutput {
  status: 'completed';
  prompt: string;
  agentId: string;
  /** The kind of agent. */
  agentType?: string;
  /** The model that the agent used. */
  resolvedModel?: string;
  /** What the agent's tools did, including the tools of agents that it started. */
  toolStats?: {
    readCount: number;
    searchCount: number;
    bashCount: number;
    editFileCount: number;
    linesAdded: number;
    linesRemoved: number;
    otherToolCount: number;
  };
  content: { type: 'text'; text: string }[];
  totalDurationMs: number;
  /** The size of the agent's conversation in its model's window. */
  totalTokens: number;
  totalToolUseCount: number;
  /** The usage of its last model call. */
  usage: object;
  /** For an agent in its own worktree: the directory of its changes. */
  worktreePath?: string;
  worktreeBranch?: string;
}

/** Task, for an agent that continues in the background. */
export interface AgentLaunchedOutput {
  isAsync: true;
  status: 'async_launched';
  agentId: string;
  description: string;
  prompt: string;
  outputFile: string;
}

/** TaskOutput. */
export interface TaskOutputOutput {
  retrieval_status: 'success' | 'timeout' | 'not_ready';
  task: {
    task_id: string;
    task_type: string;
    status: string;
    description: string;
    output: string;
    exitCode?: number;
    /** Only for an agent. */
    prompt?: string;
    result?: string;
  };
}

/** TaskStop. */
export interface TaskStopOutput {
  message: string;
  task_id: string;
  task_type: string;
  command: string;
}

/** ListMcpResources. */
export type ListMcpResourcesOutput = {
  uri: string;
  name: string;
  mimeType?: string;
  description?: string;
  server: string;
}[];

/** ReadMcpResource. */
export interface ReadMcpResourceOutput {
  contents: {
    uri: string;
    mimeType?: string;
    text?: string;
    /** The file that holds contents that are not text. */
    blobSavedTo?: string;
  }[];
  error?: string;
}

/** A tool of an MCP server. */
export type McpOutput = string | { type: string; [name: string]: unknown }[] | { [name: string]: unknown };
