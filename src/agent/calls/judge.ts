import { type Call, type Decision, decide, type Policy } from '../../permissions/decide.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import type { Places, Workspace } from '../../tools/workspace.ts';
import type { JsonObject } from '../../util/json.ts';

/** The call in the form that permissions judge. The input must be valid for the tool. */
export function callOf(tool: Tool, input: JsonObject, workspace: Workspace): Call {
  return { toolName: tool.name, input, access: tool.access(input, workspace) };
}

/**
 * Resolves the paths that the decision about a call needs, and decides. The gate and everything that explains decisions
 * call it, so that an explanation always matches the decision.
 */
export async function judge(call: Call, policy: Policy): Promise<Decision> {
  if (call.access.kind === 'edit' || call.access.kind === 'execute') await policy.ready?.();
  if (call.access.kind !== 'execute' || !policy.readCommand) return decide(call, policy);
  return decide({ ...call, script: await policy.readCommand(call.access.command) }, policy);
}

/** The policy with the file system of one moment: each path is resolved once. */
export function atOneMoment(policy: Policy): Policy {
  const known = new Map<string, string | null>();
  const realPath = (path: string) => {
    const real = known.has(path) ? (known.get(path) ?? null) : policy.realPath(path);
    known.set(path, real);
    return real;
  };
  return { ...policy, realPath };
}

/**
 * The real paths of the files that a call names, as the given policy resolved them. Undefined for a call that names no
 * files.
 */
export function realPathsOf({ access }: Call, { realPath }: Policy): Places | undefined {
  if (access.kind !== 'read' && access.kind !== 'edit') return undefined;
  return new Map(access.paths.map((path) => [path, realPath(path)]));
}

/** The context of an allowed call. It reaches only the files that were judged, not files that replaced them since. */
export async function pinnedContext(context: ToolContext, places: Places | undefined): Promise<ToolContext> {
  return places ? { ...context, workspace: await context.workspace.pin(places) } : context;
}
