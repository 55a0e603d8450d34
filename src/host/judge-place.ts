import type { Policy } from '../permissions/policy.ts';
import type { Registry } from '../tools/registry.ts';
import type { Workspace } from '../tools/workspace.ts';
import { agentToolOptions } from './agents/agent-types.ts';
import type { Engine } from './engine.ts';
import { agentsOf, noExtras, openExtensions } from './extensions.ts';
import { policyNow } from './make-turn.ts';
import { createPermissions } from './permissions.ts';
import type { LaunchPlace } from './place.ts';
import { openSandbox } from './sandbox.ts';
import { sessionTools } from './session-tools.ts';
import { skillToolToJudge } from './skill-shelf.ts';

/** What calls are judged by where a launch would run. */
export interface JudgedBy {
  tools: Registry;
  workspace: Workspace;
  policy: Policy;
}

/** Hands over what a session of this place would judge calls by at its start. No session is opened, nothing is stored. */
export async function judgePlace<T>(
  engine: Engine,
  { cwd, config, env, workspace, configHome, configuration }: LaunchPlace,
  judge: (by: JudgedBy) => Promise<T>,
): Promise<T> {
  const permissions = createPermissions(config, configuration.settings, {
    workspace,
    configHome,
    userHome: env.HOME ?? '',
    ownProgram: engine.ownProgram,
    spillDir: null,
    planName: () => null,
    store: configuration.store,
    readCommand: engine.readCommand,
  });
  // Every tool that a session can have: which model answers it makes no difference to permissions.
  const provider = 'anthropic';
  const { log } = engine.runtime;
  const extensions = await openExtensions({ config, env, places: { cwd, configHome }, configuration, log });
  const skill = async () => skillToolToJudge({ extensions, enabledSkills: null });
  const known = { extensions, hostAgents: await agentsOf(config, cwd) };
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
  const seams = { engine, workspace, policy: () => permissions.policy, env, configHome };
  const sandbox = await openSandbox(configuration.settings.sandbox, seams);
  try {
    const start = { shellDirectory: { current: () => workspace.cwd } };
    const policy = policyNow({ permissions, sandbox, toolSession: start, extras: noExtras() });
    return await judge({ tools: await makeRegistry(), workspace, policy });
  } finally {
    await sandbox.close();
  }
}
