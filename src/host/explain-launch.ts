import type { Launch } from '../wire/run-config.ts';
import type { Engine } from './engine.ts';
import { type Explanation, explainCall } from './explain.ts';
import { hooksAsked, hooksOf } from './hooks-admin.ts';
import { judgePlace } from './judge-place.ts';
import { openPlace } from './place.ts';

/** What would become of a tool call in a session of this launch, at its start. No session is opened, nothing is stored. */
export async function explainLaunch(
  engine: Engine,
  launch: Launch,
  { toolName, input }: { toolName: string; input: unknown },
): Promise<Explanation> {
  const place = await openPlace(engine, launch);
  const { hooks } = hooksOf(place);
  return judgePlace(engine, place, (by) => explainCall(toolName, input, { ...by, hooks: hooksAsked(hooks, by) }));
}
