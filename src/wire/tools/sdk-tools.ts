/** `heddle/sdk-tools`: the types of the inputs and outputs of tools. It contains no code. */
import type * as inputs from './tool-inputs.ts';
import type * as outputs from './tool-outputs.ts';

export type * from './tool-inputs.ts';
export type * from './tool-outputs.ts';

/**
 * The input of each tool of Heddle, by the tool's name.
 *
 * @example
 * import type { ToolInputs } from 'heddle/sdk-tools';
 *
 * function isHarmless(input: ToolInputs['Bash']): boolean {
 *   return input.command === 'git status' && !input.run_in_background;
 * }
 */
export interface ToolInputs {
  AskUserQuestion: inputs.AskUserQuestionInput;
  Bash: inputs.BashInput;
  Edit: inputs.FileEditInput;
  EnterPlanMode: inputs.EnterPlanModeInput;
  ExitPlanMode: inputs.ExitPlanModeInput;
  Glob: inputs.GlobInput;
  Grep: inputs.GrepInput;
  NotebookEdit: inputs.NotebookEditInput;
  Read: inputs.FileReadInput;
  TaskCreate: inputs.TaskCreateInput;
  TaskGet: inputs.TaskGetInput;
  TaskList: inputs.TaskListInput;
  TaskOutput: inputs.TaskOutputInput;
  TaskStop: inputs.TaskStopInput;
  TaskUpdate: inputs.TaskUpdateInput;
  TodoWrite: inputs.TodoWriteInput;
  ToolSearch: inputs.ToolSearchInput;
  WebFetch: inputs.WebFetchInput;
  WebSearch: inputs.WebSearchInput;
  Write: inputs.FileWriteInput;
}

/** The structured output of each tool of Heddle, by the tool's name. */
export interface ToolOutputs {
  AskUserQuestion: outputs.AskUserQuestionOutput;
  Bash: outputs.BashOutput;
  Edit: outputs.FileEditOutput;
  EnterPlanMode: outputs.EnterPlanModeOutput;
  ExitPlanMode: outputs.ExitPlanModeOutput;
  Glob: outputs.GlobOutput;
  Grep: outputs.GrepOutput;
  NotebookEdit: outputs.NotebookEditOutput;
  Read: outputs.FileReadOutput;
  TaskCreate: outputs.TaskCreateOutput;
  TaskGet: outputs.TaskGetOutput;
  TaskList: outputs.TaskListOutput;
  TaskOutput: outputs.TaskOutputOutput;
  TaskStop: outputs.TaskStopOutput;
  TaskUpdate: outputs.TaskUpdateOutput;
  TodoWrite: outputs.TodoWriteOutput;
  ToolSearch: outputs.ToolSearchOutput;
  WebFetch: outputs.WebFetchOutput;
  WebSearch: outputs.WebSearchOutput;
  Write: outputs.FileWriteOutput;
}

/** The input of any tool, including tools that only agents of the reference have. */
export type ToolInputSchemas =
  | ToolInputs[keyof ToolInputs]
  | inputs.AgentInput
  | inputs.SkillInput
  | inputs.ListMcpResourcesInput
  | inputs.ReadMcpResourceInput
  | inputs.McpInput;

/** The structured output of any tool of Heddle. */
export type ToolOutputSchemas = ToolOutputs[keyof ToolOutputs] | outputs.AgentOutput | outputs.AgentLaunchedOutput;
