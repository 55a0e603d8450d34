import type { Engine } from '../host/engine/engine.ts';
import { hooksAsked } from '../host/hooks/matching-hooks.ts';
import { openLaunchContext } from '../host/launch/launch-context.ts';
import { type Explanation, explainCall } from '../host/permissions/explain-call.ts';
import type { Launch } from '../wire/run-config.ts';
import { policyAtLaunch } from './policy-at-launch.ts';
import { hooksOf } from './try-hooks.ts';

/** Explains how a session of this launch would judge a tool call at its start. Opens no session and stores nothing. */
export async function explainLaunch(
  engine: Engine,
  launch: Launch,
  { toolName, input }: { toolName: string; input: unknown },
): Promise<Explanation> {
  const context = await openLaunchContext(engine, launch);
  const { hooks } = hooksOf(context);
  return policyAtLaunch(engine, context, (by) => explainCall(toolName, input, { ...by, hooks: hooksAsked(hooks, by) }));
}
