import type { Launch } from '../wire/run-config.ts';
import type { Engine } from './engine.ts';
import { type Explanation, explainCall } from './explain.ts';
import { createPermissions } from './permissions.ts';
import { openPlace } from './place.ts';
import { sessionTools } from './session-tools.ts';

/** What would become of a tool call in a session of this launch, at its start. No session is opened, nothing is stored. */
export async function explainLaunch(
  engine: Engine,
  launch: Launch,
  call: { toolName: string; input: unknown },
): Promise<Explanation> {
  const { config, env, workspace, configHome, configuration } = await openPlace(engine, launch);
  const { policy } = createPermissions(config, configuration.settings, {
    workspace,
    configHome,
    userHome: env.HOME ?? '',
    spillDir: null,
    planName: () => null,
    store: configuration.store,
    readCommand: engine.readCommand,
  });
  // Every tool that a session can have: which model answers it makes no difference to permissions.
  const makeRegistry = await sessionTools(engine, { config, env, policy, asksHost: false, provider: 'anthropic' });
  return explainCall(call.toolName, call.input, { tools: makeRegistry(), workspace, policy });
}
