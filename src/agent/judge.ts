import type { Call, Decision, Policy } from '../permissions/decide.ts';
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
  // Nothing is judged before the model has answered, so until then nothing of this need be there.
  const { decide } = await import('../permissions/decide.ts');
  if (call.access.kind !== 'execute' || !policy.readCommand) return decide(call, policy);
  return decide({ ...call, script: await policy.readCommand(call.access.command) }, policy);
}
