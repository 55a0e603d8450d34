import type { Engine } from '../host/engine/engine.ts';
import { agentToolOptions } from '../host/extensions/agent-kinds.ts';
import { agentsOf } from '../host/extensions/extensions.ts';
import { openExtensions } from '../host/extensions/open-extensions.ts';
import { skillToolToJudge } from '../host/extensions/skill-tool.ts';
import { hooksAsked } from '../host/hooks/matching-hooks.ts';
import { type LaunchContext, openLaunchContext } from '../host/launch/launch-context.ts';
import { type Explanation, explainCall } from '../host/permissions/explain-call.ts';
import { openPathGuard, type PathRulesInfo } from '../host/permissions/session-path-guard.ts';
import { createPermissions } from '../host/permissions/session-permissions.ts';
import { openSandbox } from '../host/permissions/session-sandbox.ts';
import { threadPolicy } from '../host/permissions/thread-permissions.ts';
import { sessionTools } from '../host/thread/toolbox.ts';
import type { Policy } from '../permissions/policy.ts';
import type { Registry } from '../tools/registry.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { Launch } from '../wire/run-config.ts';
import { hooksOf } from './list-hooks.ts';

/** The policy and tools by which a launch would judge calls. */
export interface JudgedBy {
  tools: Registry;
  workspace: Workspace;
  policy: Policy;
  /** What holds path rules for commands; null: nothing has to. */
  pathRules: PathRulesInfo | null;
}

/**
 * Calls `judge` with the policy that a session of this launch would have at its start. Opens no session and stores
 * nothing.
 */
export async function policyAtLaunch<T>(
  engine: Engine,
  { cwd, config, env, workspace, configHome, configuration }: LaunchContext,
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
  // Every tool that a session can have: permissions do not depend on the model.
  const provider = 'anthropic';
  const { log } = engine.runtime;
  const extensions = await openExtensions({ config, env, directories: { cwd, configHome }, configuration, log });
  const skill = async () => skillToolToJudge(extensions);
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
  const dependencies = { engine, workspace, policy: () => permissions.policy, env, configHome };
  const sandbox = await openSandbox(configuration.settings.sandbox, dependencies);
  const guard = await openPathGuard(configuration.settings.enforcement, dependencies);
  try {
    const shell = { current: () => workspace.cwd };
    permissions.addSource(threadPolicy({ shell, sandbox, scope: { grants: [] }, identity: { notes: null } }));
    const policy = permissions.inForce();
    return await judge({ tools: await makeRegistry(), workspace, policy, pathRules: guard.info() });
  } finally {
    await guard.close();
    await sandbox.close();
  }
}

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
