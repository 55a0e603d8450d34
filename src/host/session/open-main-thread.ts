import { join } from 'node:path';
import { Ledger } from '../../agent/ledger.ts';
import { createRecorder, type Recorder } from '../../agent/messages/recorder.ts';
import { subagentsFolder } from '../../sessions/files/session-paths.ts';
import type { FileStates } from '../../tools/file-states.ts';
import { createShellDirectory } from '../../tools/shell/shell-directory.ts';
import { isInsideAny } from '../../util/files/path-inside.ts';
import { messageOf } from '../../util/message-of.ts';
import { once } from '../../util/once.ts';
import { isOn, positiveInteger } from '../../util/text/setting-text.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { checkpointsIfOn } from '../checkpoints/open-checkpoints.ts';
import { Conversation } from '../conversation/conversation.ts';
import { SessionTitle } from '../conversation/session-title.ts';
import { envWith, toolEnv } from '../engine/environment.ts';
import { agentToolOptions } from '../extensions/agent-kinds.ts';
import { withPrograms } from '../extensions/extensions.ts';
import { skillTool } from '../extensions/skill-tool.ts';
import { TurnScope } from '../extensions/turn-scope.ts';
import { unknownPrice } from '../models/known-models.ts';
import { readLimits, thinkingSetting } from '../models/launch-limits.ts';
import { ModelSettings } from '../models/model-settings.ts';
import { ensureFolder, type PlanFile, planFile, planNameFrom, planReminder } from '../permissions/plan-file.ts';
import { readFilter } from '../permissions/read-filter.ts';
import { openPathGuard } from '../permissions/session-path-guard.ts';
import { createPermissions } from '../permissions/session-permissions.ts';
import { openSandbox } from '../permissions/session-sandbox.ts';
import { type Permissions, threadPolicy } from '../permissions/thread-permissions.ts';
import type { OpenTranscript } from '../resume/open-transcript.ts';
import { keepPlanMode, storedTodos, tasksDir } from '../resume/restore-state.ts';
import { expansionIn } from '../thread/expansion-dependencies.ts';
import { Identity } from '../thread/identity.ts';
import type { SessionServices } from '../thread/services.ts';
import { type MainThread, Thread } from '../thread/thread.ts';
import { SessionToolbox, sessionTools } from '../thread/toolbox.ts';
import type { Workplace } from '../thread/workplace.ts';
import type { LaunchedSession } from './launched-session.ts';
import { openServices } from './open-services.ts';

/**
 * Builds the main thread of a session, and the services that it shares with agents. The order is part of what users see:
 * it decides which warning or error comes first.
 */
export async function openMainThread(session: LaunchedSession): Promise<MainThread> {
  const recorded = await openRecorded(session);
  const { permissions } = recorded;
  const services = await openServices(session);
  const scope = new TurnScope();
  const identity = new Identity();
  const makeRegistry = await openTools(session, { services, permissions, scope });
  const { context, selected, transcript, prompts } = session;
  const { config, env } = context;
  const names = (config.fallbackModel ?? '').split(',').map((name) => name.trim());
  const fallbacks = await Promise.all(names.filter((name) => name !== '').map((name) => services.models.select(name)));
  const todos = { current: storedTodos(transcript.state) };
  const { home } = services.storage;
  const tasks = await tasksDir(home, transcript);
  const ledger = openLedger(session);
  const workplace = await openWorkplace(session, recorded, services);
  const { shell, sandbox, workspace, gitBranch, plan } = workplace;
  permissions.addSource((policy) => services.mcp.current?.policies.applied(policy) ?? policy, 'session');
  permissions.addSource(threadPolicy({ shell, sandbox, scope, identity }));
  const toolbox = new SessionToolbox(await makeRegistry(), {
    makeRegistry,
    ofServers: () => (services.mcp.current?.tools() ?? []).filter(({ name }) => name !== services.options.promptTool),
    keeps: () => identity.role?.keeps,
  });
  const model = new ModelSettings({
    selected,
    launchModel: config.model,
    fallbacks,
    betas: config.betas ?? [],
    effort: config.effort,
    maxOutputTokens: positiveInteger(env.CLAUDE_CODE_MAX_OUTPUT_TOKENS),
    userId: `session_${services.id}`,
    settings: { ...prompts, ...thinkingSetting(config, env) },
  });
  const budget = { limits: readLimits(config), ledger };
  const knowledge = services.agents.newContext({
    selected: () => model.selected,
    history: transcript.state,
    notes: () => identity.notes,
    plan: planReminders(permissions, plan, model),
    ...{ workspace, sandbox, gitBranch, readableFilter: () => readFilter(permissions) },
  });
  const title = new SessionTitle({
    pending: config.name ?? null,
    inForce: transcript.state.title,
    recorder: recorded.recorder,
  });
  const { hooks, options, background } = services;
  const conversation = new Conversation({
    sessionId: services.id,
    runtime: services.runtime,
    ...{ transcript, recorder: recorded.recorder, messages: transcript.state.messages, context: knowledge },
    ...{ hooks, permissions, title },
    main: {
      ...{ leafIsChosen: transcript.state.leafIsChosen, uuids: transcript.state.uuids, todos },
      earlierTasks: background.earlier,
      checkpoints: recorded.checkpoints,
      replayUserMessages: options.replayUserMessages,
    },
  });
  const recordsDir = home === null ? null : join(home, 'background', services.id);
  const detached = config.allowDetach && recordsDir !== null ? { recordsDir, sessionId: services.id } : null;
  return new Thread({
    ...{ services, identity, conversation, model, workplace, permissions, toolbox, budget, hooks, scope },
    async startAgent(...call) {
      const { callAgent } = await import('../agents/start-agent.ts');
      return callAgent(...call);
    },
    tools: { env, todos, tasksDir: tasks, detached },
  });
}

/** What writes the session, and what is known before anything is read of extensions. */
interface Recorded {
  files: FileStates;
  recorder: Recorder;
  checkpoints: Checkpoints | null;
  permissions: Permissions;
}

async function openRecorded({ engine, context, transcript }: LaunchedSession): Promise<Recorded> {
  const { runtime } = engine;
  const { configHome, configuration, config, env, workspace: local, project, worktree } = context;
  const files: FileStates = new Map();
  const recorder = createRecorder({ ...transcript, snapshotFor: (uuid) => checkpoints?.begin(uuid) ?? null });
  const policy = () => permissions.policy;
  const checkpoints = await checkpointsIfOn({ runtime, config, env, policy, local, transcript, recorder, files });
  const permissions = createPermissions(keepPlanMode(config, transcript.state, runtime), configuration.settings, {
    workspace: checkpoints?.workspace ?? local,
    ...(worktree && { checkout: project }),
    onMode(mode) {
      // Not recorded before the first message: there would be nothing to resume.
      if (transcript.chain.leaf === null) return;
      recorder.state
        .mode(mode)
        .catch((error) => runtime.log('warn', `The mode could not be recorded: ${messageOf(error)}`));
    },
    configHome,
    userHome: env.HOME ?? '',
    ownProgram: engine.ownProgram,
    spillDir: transcript.spillDir,
    agentsDir: agentsDir(transcript),
    planName: () => transcript.chain.planName ?? null,
    store: configuration.store,
    readCommand: engine.readCommand,
  });
  return { files, recorder, checkpoints, permissions };
}

/** Null where transcripts are no files. */
function agentsDir({ key, store }: OpenTranscript): string | null {
  const path = store.locate?.(key);
  return path === undefined ? null : subagentsFolder(path);
}

function openTools(
  { engine, context: { config, env }, selected }: LaunchedSession,
  { services, permissions, scope }: { services: SessionServices; permissions: Permissions; scope: TurnScope },
) {
  const { extensions, agents, background, hooks, options } = services;
  const hasTeams = teamsAreOn({ config, env });
  const kindOfTask = (id: string) => background.tasks.get(id)?.agent?.type;
  return sessionTools(engine, {
    config,
    env,
    permissions,
    asksHost: options.asksHost,
    provider: selected.model.provider,
    async skill() {
      if (extensions.current.skills.length === 0) return null;
      return skillTool(extensions, expansionIn({ services, scope, hooks }));
    },
    agents: () => agentToolOptions(agents.sources, { hasTeams, kindOfTask }),
  });
}

export function teamsAreOn({ config, env }: Pick<LaunchedSession['context'], 'config' | 'env'>): boolean {
  return config.teams === true || isOn(env.CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS);
}

function openLedger({ engine: { runtime }, context, models, transcript }: LaunchedSession): Ledger {
  const isSaid = (model: string) => context.config.maxBudgetUsd !== undefined && models.limitsOf(model) !== undefined;
  const ledger = new Ledger({
    onUnknownModel(model) {
      if (!isSaid(model)) runtime.log('warn', unknownPrice(model));
    },
    limitsOf: models.limitsOf,
  });
  const { costState } = transcript.state;
  if (costState) ledger.restore(costState);
  return ledger;
}

async function openWorkplace(
  { engine, context, transcript, models }: LaunchedSession,
  { files, checkpoints, permissions }: Recorded,
  { hooks, extensions }: SessionServices,
): Promise<Workplace> {
  const { configHome, configuration, env, worktree } = context;
  const workspace = checkpoints?.workspace ?? context.workspace;
  const environment = () => toolEnv(envWith(models, env));
  const sandboxIn: Workplace['sandboxIn'] = (space, policy) =>
    openSandbox(configuration.settings.sandbox, { engine, workspace: space, policy, env, configHome });
  const policy = () => permissions.policy;
  const { enforcement } = configuration.settings;
  const guard = await openPathGuard(enforcement, { engine, workspace, policy, env, configHome });
  return {
    workspace,
    files,
    sandbox: await sandboxIn(workspace, policy),
    guard,
    shell: createShellDirectory({
      start: workspace.cwd,
      isInside: (path) => isInsideAny(permissions.policy.roots, path),
    }),
    checkpoints,
    plan: openPlan({ engine, context, transcript }),
    gitBranch: transcript.gitBranch,
    worktree,
    registeredRoots: new Set(),
    project: context.project,
    runOutside: (spec, signal) => engine.processes.run(spec, signal),
    environment: () => withPrograms({ ...environment(), ...hooks.current?.commandEnv() }, extensions.current.plugins),
    sandboxIn,
  };
}

function openPlan({
  engine,
  context,
  transcript,
}: Pick<LaunchedSession, 'engine' | 'context' | 'transcript'>): PlanFile {
  const { chain } = transcript;
  const ensureName = once(() => {
    if (!chain.planName) chain.assignPlanName(planNameFrom(engine.runtime.ids.uuid()));
  });
  return {
    ensureName,
    file() {
      ensureName();
      return ensureFolder(planFile(context.configHome, chain.planName));
    },
  };
}

function planReminders(permissions: Permissions, plan: PlanFile, model: ModelSettings) {
  return async (wasOn: boolean) => {
    const isOn = permissions.policy.mode === 'plan';
    if (!wasOn && !isOn) return null;
    const planInstructions = model.settings.planModeInstructions;
    return planReminder(isOn, { planFile: plan.file, ...(planInstructions !== undefined && { planInstructions }) });
  };
}
