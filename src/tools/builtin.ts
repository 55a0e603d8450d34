import { type BashOptions, createBashTool } from './bash.ts';
import { editTool } from './edit.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { readTool } from './read.ts';
import type { Tool } from './tool.ts';
import { writeTool } from './write.ts';

/** The tools that every session has unless it asks for less, in the order in which requests list them. */
export function builtinTools(options: BashOptions): Tool[] {
  return [createBashTool(options), globTool, grepTool, readTool, editTool, writeTool];
}
