import type { Launch } from '../wire/run-config.ts';
import { agentToolOptions } from './agents/agent-types.ts';
import type { Engine } from './engine.ts';
import { type Explanation, explainCall } from './explain.ts';
import { agentsOf, noExtras, openExtensions } from './extensions.ts';
import { policyNow } from './make-turn.ts';
import { createPermissions } from './permissions.ts';
import { openPlace } from './place.ts';
import { openSandbox } from './sandbox.ts';
import { sessionTools } from './session-tools.ts';
import { skillToolToJudge } from './skill-shelf.ts';

/** What would become of a tool call in a session of this launch, at its start. No session is opened, nothing is stored. */
export async function explainLaunch(
  engine: Engine,
  launch: Launch,
  call: { toolName: string; input: unknown },
): Promise<Explanation> {
  const { cwd, config, env, workspace, configHome, configuration } = await openPlace(engine, launch);
  const permissions = createPermissions(config, configuration.settings, {
    workspace,
    configHome,
    userHome: env.HOME ?? '',
    spillDir: null,
    planName: () => null,
    store: configuration.store,
    readCommand: engine.readCommand,
  });
  const { policy } = permissions;
  // Every tool that a session can have: which model answers it makes no difference to permissions.
  const provider = 'anthropic';
  const { log } = engine.runtime;
  const extensions = await openExtensions({ config, env, places: { cwd, configHome }, configuration, log });
  const skill = async () => skillToolToJudge({ extensions, enabledSkills: null });
  const known = { extensions, hostAgents: await agentsOf(config) };
  const agents = () => agentToolOptions(known, { hasTeams: false, kindOfTask: () => undefined });
  const makeRegistry = await sessionTools(engine, {
    config,
    env,
    permissions,
    asksHost: false,
    provider,
    skill,
    agents,
  });
  const seams = { engine, workspace, policy: () => policy, env, configHome };
  const sandbox = await openSandbox(configuration.settings.sandbox, seams);
  try {
    const start = { shellDirectory: { current: () => workspace.cwd } };
    const inForce = policyNow({ permissions, sandbox, toolSession: start, extras: noExtras() });
    const { hooksAsked, hooksOf } = await import('./hooks-admin.ts');
    const hooks = hooksAsked(hooksOf({ configuration }).hooks);
    return await explainCall(call.toolName, call.input, {
      tools: await makeRegistry(),
      workspace,
      policy: inForce,
      hooks,
    });
  } finally {
    await sandbox.close();
  }
}
