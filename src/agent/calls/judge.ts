import type { Call, Decision, Policy } from '../permissions/decide.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import type { Places, Workspace } from '../tools/workspace.ts';
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
  if (call.access.kind === 'edit' || call.access.kind === 'execute') await policy.ready?.();
  if (call.access.kind !== 'execute' || !policy.readCommand) return decide(call, policy);
  return decide({ ...call, script: await policy.readCommand(call.access.command) }, policy);
}

/** The policy as it sees the files at one moment: where each path leads is looked up once. */
export function atOneMoment(policy: Policy): Policy {
  const known = new Map<string, string | null>();
  const realPath = (path: string) => {
    const real = known.has(path) ? (known.get(path) ?? null) : policy.realPath(path);
    known.set(path, real);
    return real;
  };
  return { ...policy, realPath };
}

/** Where the files of a call are that was judged by a policy of one moment. Undefined for a call that names none. */
export function placesOf({ access }: Call, { realPath }: Policy): Places | undefined {
  if (access.kind !== 'read' && access.kind !== 'edit') return undefined;
  return new Map(access.paths.map((path) => [path, realPath(path)]));
}

/** What an allowed call gets to work with: the files that were judged, and none that lie there since. */
export async function pinnedContext(context: ToolContext, places: Places | undefined): Promise<ToolContext> {
  return places ? { ...context, workspace: await context.workspace.pin(places) } : context;
}
