import { type Call, type Decision, decide, type Policy } from '../permissions/decide.ts';
import type { Tool } from '../tools/tool.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { JsonObject } from '../util/json.ts';

/** What permissions see of a call. The input is valid for the tool. */
export function callOf(tool: Tool, input: JsonObject, workspace: Workspace): Call {
  return { toolName: tool.name, input, access: tool.access(input, workspace) };
}

/**
 * Prepares what the decision about a call needs, and decides. The gate and everything that explains decisions go through
 * here, so that what is explained is what would happen.
 */
export async function judge(call: Call, policy: Policy): Promise<Decision> {
  return decide(call, policy);
}
