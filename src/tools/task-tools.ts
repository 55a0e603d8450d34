import { taskCreateTool } from './task-create.ts';
import { taskGetTool, taskListTool } from './task-read.ts';
import { taskUpdateTool } from './task-update.ts';
import type { Tool } from './tool.ts';

/** What a session has instead of TodoWrite when it asks for tasks (ruling K37). */
export const taskTools: readonly Tool[] = [taskCreateTool, taskGetTool, taskUpdateTool, taskListTool];
