import type { AgentToolOptions } from './agent.ts';
import { createAgentTool } from './agent.ts';
import { type BashOptions, createBashTool } from './bash.ts';
import { editTool } from './edit.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { notebookEditTool } from './notebook-edit.ts';
import { enterPlanModeTool } from './plan-mode-enter.ts';
import { exitPlanModeTool } from './plan-mode-exit.ts';
import { readTool } from './read.ts';
import { taskOutputTool } from './task-output.ts';
import { taskStopTool } from './task-stop.ts';
import { todoTool } from './todo.ts';
import type { Tool } from './tool.ts';
import { writeTool } from './write.ts';

export interface BuiltinOptions extends BashOptions {
  /** What teams need, or null where there are none. */
  teams?: readonly Tool[] | null;
  /** The agents that can be started; null or absent: none. */
  agents?: AgentToolOptions | null;
  /** AskUserQuestion, where somebody can answer. */
  askUser?: Tool | null;
  webFetch?: Tool;
  /** Where the provider of the session's model can search. */
  webSearch?: Tool | null;
  /** Skill, where there are some that the model may load. */
  skill?: Tool | null;
  /** What takes the place of TodoWrite, or null (ruling K37). */
  tasks?: readonly Tool[] | null;
}

/** The tools that every session has unless it asks for less, in the order in which requests list them. */
export function builtinTools(builtin: BuiltinOptions): Tool[] {
  const { agents, teams, askUser, webFetch, webSearch, skill, tasks, ...options } = builtin;
  return [
    ...(agents ? [createAgentTool(agents) as unknown as Tool] : []),
    taskOutputTool,
    createBashTool(options),
    globTool,
    grepTool,
    exitPlanModeTool,
    readTool,
    editTool,
    writeTool,
    notebookEditTool,
    ...(webFetch ? [webFetch] : []),
    ...(tasks ? [] : [todoTool]),
    ...(webSearch ? [webSearch] : []),
    taskStopTool,
    ...(askUser ? [askUser] : []),
    ...(skill ? [skill] : []),
    enterPlanModeTool,
    ...(teams ?? []),
    ...(tasks ?? []),
  ];
}
