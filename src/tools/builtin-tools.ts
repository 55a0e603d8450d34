import type { AgentToolOptions } from './agents/agent.ts';
import { createAgentTool } from './agents/agent.ts';
import { taskOutputTool } from './background/task-output.ts';
import { taskStopTool } from './background/task-stop.ts';
import { editTool } from './files/edit.ts';
import { notebookEditTool } from './files/notebook-edit.ts';
import { readTool } from './files/read.ts';
import { writeTool } from './files/write.ts';
import { globTool } from './search/glob.ts';
import { grepTool } from './search/grep.ts';
import { type BashOptions, createBashTool } from './shell/bash.ts';
import { todoTool } from './task-list/todo.ts';
import type { Tool } from './tool.ts';
import { enterPlanModeTool, exitPlanModeTool } from './user/plan-mode.ts';

export interface BuiltinOptions extends BashOptions {
  /** The tools for teams; null without teams. */
  teams?: readonly Tool[] | null;
  /** The agents that can be started; null or absent: none. */
  agents?: AgentToolOptions | null;
  /** AskUserQuestion, when the host can answer questions. */
  askUser?: Tool | null;
  webFetch?: Tool;
  /** The search tool, when the provider of the session's model can search. */
  webSearch?: Tool | null;
  /** Skill, when there are skills that the model may load. */
  skill?: Tool | null;
  /** The tools that replace TodoWrite, or null. */
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
