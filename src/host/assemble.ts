import { join } from 'node:path';
import { Ledger } from '../agent/ledger.ts';
import { createRecorder } from '../agent/recorder.ts';
import { subagentsFolder } from '../sessions/layout.ts';
import type { FileStates } from '../tools/file-states.ts';
import type { Tool } from '../tools/tool.ts';
import { messageOf } from '../util/message-of.ts';
import { once, warnOnce } from '../util/once.ts';
import { isOn, positiveInteger } from '../util/setting-text.ts';
import { dialectOfSdk } from '../wire/dialect.ts';
import type { Launch, RunConfig } from '../wire/run-config.ts';
import { agentToolOptions } from './agents/agent-types.ts';
import type { Engine } from './engine.ts';
import { agentsOf, noExtras, openExtensions, pluginHooks, pluginsOf } from './extensions.ts';
import { credentialHider } from './hide-credentials.ts';
import { secretValues, toolEnv } from './home.ts';
import { hooksInLayers } from './hooks.ts';
import { createKnownModels, type KnownModels } from './known-models.ts';
import { readLimits, thinkingSetting } from './launch-limits.ts';
import { leftInPlanMode, leftTasks, pastTodos, tasksDir } from './left-behind.ts';
import { mindMaker } from './mind.ts';
import type { Chosen } from './models.ts';
import { checkpointsIfOn } from './open-checkpoints.ts';
import { sessionServers } from './open-servers.ts';
import type { Parts } from './parts.ts';
import { createPermissions } from './permissions.ts';
import { type LaunchPlace, openPlace } from './place.ts';
import { planFile, planName, withFolder } from './plan-name.ts';
import { readPrompts } from './prompts.ts';
import { openSandbox } from './sandbox.ts';
import { sessionModels } from './session-models.ts';
import { sessionTools } from './session-tools.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import { createToolSession } from './tool-session.ts';
import { type Opening, type OpenTranscript, openTranscript } from './transcript.ts';
import { stateLines } from './voice.ts';

/** Builds a session from its launch. Rejects with a HeddleError whose text says what to change. */
export async function assemble(engine: Engine, launch: Launch, opening: Opening): Promise<Parts> {
  const place = await openPlace(engine, launch, async (project) => {
    const { enterWorktree } = await import('./worktrees/session-worktree.ts');
    return enterWorktree(engine, project, opening.signal);
  });
  try {
    return await assembleAt(engine, place, launch, opening);
  } catch (error) {
    await place.worktree?.leave();
    throw error;
  }
}

async function assembleAt(engine: Engine, launchPlace: LaunchPlace, launch: Launch, opening: Opening): Promise<Parts> {
  const { runtime } = engine;
  const { cwd, project, configuration, config, env, configHome, workspace: local } = launchPlace;
  const { apiKeyHelper } = configuration.settings;
  const place = {
    config,
    env,
    cwd: project,
    configHome,
    apiKeyHelper,
    paths: () => places(local.roots, transcript.spillDir),
  };
  const secrets = secretValues(env);
  const hideCredentials = credentialHider(() => [...secrets, ...engine.obtainedSecrets.values()]);
  const traced = { id: () => transcript.key.sessionId, env, hide: hideCredentials };
  const telemetry = (await engine.telemetry())?.open(traced) ?? null;
  const choose = sessionModels(engine, place);
  const models = createKnownModels(telemetry?.models(choose) ?? choose, {
    betas: config.betas ?? [],
    log: runtime.log,
  });
  const chosen = await models.choose(config.model);
  const prompts = await readPrompts(config, project);
  const transcript = await openTranscript(engine, launch, cwd, opening);
  try {
    return await assembleParts(engine, launchPlace, {
      telemetry,
      hideCredentials,
      models,
      chosen,
      prompts,
      transcript,
      launch: launch.config,
    });
  } catch (error) {
    await transcript.release();
    throw error;
  }
}

interface Chosens {
  telemetry: Telemetry | null;
  hideCredentials: Parts['hideCredentials'];
  models: KnownModels;
  chosen: Chosen;
  prompts: Awaited<ReturnType<typeof readPrompts>>;
  transcript: OpenTranscript;
  /** As it was given, without what settings add. */
  launch: RunConfig;
}

/** What can only be made once the session is known and held. */
async function assembleParts(engine: Engine, place: LaunchPlace, given: Chosens): Promise<Parts> {
  const { runtime } = engine;
  const { configHome, configuration, config, env, workspace: local, project, worktree } = place;
  const { telemetry, hideCredentials, models, chosen, prompts, transcript, launch } = given;
  const files: FileStates = new Map();
  const recorder = createRecorder({ ...transcript, snapshotFor: (uuid) => checkpoints?.begin(uuid) ?? null });
  const policy = () => permissions.policy;
  const checkpoints = await checkpointsIfOn({ runtime, config, env, policy, local, transcript, recorder, files });
  const workspace = checkpoints?.workspace ?? local;
  const permissions = createPermissions(leftInPlanMode(config, transcript, runtime), configuration.settings, {
    workspace,
    ...(worktree && { checkout: project }),
    onMode(mode) {
      // Of a conversation that has not begun there is nothing to resume.
      if (transcript.chain.leaf === null) return;
      recorder.mode(mode).catch((error) => runtime.log('warn', `The mode could not be recorded: ${messageOf(error)}`));
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
  const asksNobody = config.permissionPrompts === 'none';
  const asksHost = config.permissionPromptTool === 'stdio' && !asksNobody;
  const promptTool = asksHost || asksNobody ? undefined : config.permissionPromptTool;
  const places = { cwd: project, configHome };
  const givenPlugins = pluginsOf(config);
  let extensions = await openExtensions({ config, givenPlugins, env, places, configuration, log: runtime.log });
  const hasTeams = config.teams === true || isOn(env.CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS);
  const host = { agents: await agentsOf(config, project) };
  const makeRegistry = await sessionTools(engine, {
    config,
    env,
    permissions,
    asksHost,
    provider: chosen.model.provider,
    skill: async () =>
      extensions.skills.length > 0 ? (await import('./skill-shelf.ts')).skillTool(() => parts) : null,
    agents: () =>
      agentToolOptions(
        { extensions, hostAgents: host.agents },
        { hasTeams, kindOfTask: (id) => toolSession.backgroundTasks.get(id)?.agent?.type },
      ),
  });
  const names = (config.fallbackModel ?? '').split(',').map((name) => name.trim());
  const fallbacks = await Promise.all(names.filter((name) => name !== '').map((name) => models.choose(name)));
  const home = transcript.isKept ? configHome : null;
  const { sessionId } = transcript.key;
  const environment = toolEnv(env);
  const toolSession = createToolSession(() => parts, {
    env,
    planFile() {
      parts.namePlan();
      return withFolder(planFile(configHome, transcript.chain.planName));
    },
    todos: await pastTodos(transcript),
    tasksDir: await tasksDir(home, transcript),
    workspace,
    ids: runtime.ids,
    spillDir: transcript.spillDir,
    detached:
      config.allowDetach && home !== null ? { recordsDir: join(home, 'background', sessionId), sessionId } : null,
  });
  const ledger = new Ledger({
    onUnknownModel: (model) => runtime.log('warn', unknownPrice(model)),
    limitsOf: models.limitsOf,
  });
  if (transcript.costState) ledger.restore(transcript.costState);
  const sandboxIn: Parts['sandboxIn'] = (space, judged) =>
    openSandbox(configuration.settings.sandbox, { engine, workspace: space, policy: judged, env, configHome });
  const sandbox = await sandboxIn(workspace, policy);
  const warn = warnOnce(runtime.log);
  const newMind = mindMaker(() => parts, { engine, place, warn });
  const plan = async (wasOn: boolean) =>
    wasOn || permissions.policy.mode === 'plan' ? (await import('./plan-reminder.ts')).planReminder(toolSession) : null;
  const servers = sessionServers(() => parts, { engine, config, env, places, configuration, log: runtime.log });
  let hostTools: readonly Tool[] = [];
  const { layers } = configuration.loaded;
  const givenHooks = [...hooksInLayers(layers), ...pluginHooks(extensions, layers)];
  const parts: Parts = {
    runtime,
    telemetry,
    sessionId,
    dialect: dialectOfSdk(env.CLAUDE_AGENT_SDK_VERSION),
    pid: engine.pid,
    openedAt: runtime.clock.now(),
    workspace,
    tools: await makeRegistry(),
    permissions,
    asksHost,
    stateLines: stateLines(env),
    launchModel: config.model,
    chooseModel: models.choose,
    choice: { env, model: chosen.id },
    chosen,
    fallbacks,
    betas: config.betas ?? [],
    effort: config.effort,
    maxOutputTokens: positiveInteger(env.CLAUDE_CODE_MAX_OUTPUT_TOKENS),
    userId: `session_${transcript.key.sessionId}`,
    settings: { ...prompts, ...thinkingSetting(config, env) },
    limits: readLimits(config),
    ledger,
    structured: null,
    async setSchema(schema) {
      parts.structured = await (await import('./structured.ts')).structuredSetting(schema);
      await parts.remakeTools();
    },
    mcp: null,
    get serverTrust() {
      return servers.trust;
    },
    async openMcp() {
      parts.mcp ??= await servers.open();
      permissions.onRootsChange = () => parts.mcp?.rootsChanged();
      return parts.mcp;
    },
    hooks: null,
    async openHooks() {
      const { openSessionHooks } = await import('./session-hooks.ts');
      const tellsAll = config.includeHookEvents === true;
      parts.hooks ??= openSessionHooks(() => parts, {
        given: givenHooks,
        processes: engine.processes,
        env,
        project,
        home: engine.hasOwnStore ? configHome : null,
        tellsAll,
        setup: config.init || config.initOnly ? 'init' : config.maintenance ? 'maintenance' : null,
      });
      return parts.hooks;
    },
    agent: null,
    team: null,
    agentMail: new Map(),
    agentDenials: [],
    mainAgent: null,
    takeInitialPrompt() {
      const prompt = parts.mainAgent?.initialPrompt ?? null;
      if (parts.mainAgent) parts.mainAgent.initialPrompt = null;
      return prompt;
    },
    notes: null,
    isAnswering: () => false,
    say: () => undefined,
    wake: () => {},
    askTool:
      promptTool === undefined
        ? null
        : async (request, signal) =>
            (await import('./permission-prompt-tool.ts')).askTool(parts, promptTool, request, signal),
    ask: () => null,
    async callHost() {
      throw new Error('There is no host to ask');
    },
    async setHostTools(tools) {
      hostTools = tools;
      await parts.remakeTools();
    },
    async remakeTools() {
      const more = parts.structured ? [parts.structured.tool] : [];
      parts.tools = await makeRegistry({
        servers: [...hostTools, ...(parts.mcp?.tools() ?? []).filter(({ name }) => name !== promptTool)],
        more,
        before: parts.tools,
        keeps: parts.mainAgent?.keeps,
      });
    },
    ...newMind({
      chosen: () => parts.chosen,
      past: transcript,
      notes: () => parts.notes,
      ...{ plan, workspace, sandbox, gitBranch: transcript.gitBranch, readFilter: toolSession.readFilter },
    }),
    newMind,
    endPolicy: { onEnd: config.onEnd === 'stop' ? 'stop' : 'wait', waitMs: (config.backgroundWait ?? 3600) * 1000 },
    interruptSparesTasks: false,
    forwardsAgentText: config.forwardSubagentText === true,
    toolUseSummaries: config.toolUseSummaries === true,
    progressMs: positiveInteger(env.HEDDLE_PROGRESS_MS),
    takesCommandsAsText: config.disableSlashCommands === true || config.verbatimPrompts === true,
    takesPromptsVerbatim: config.verbatimPrompts === true,
    recorder,
    configuration,
    checkpoints,
    messages: transcript.messages,
    transcript,
    isBranching: transcript.isBranching,
    title: config.name ?? null,
    titleInForce: transcript.title,
    spoken: new Map(),
    uuids: new Set(transcript.uuids),
    get extensions() {
      return extensions;
    },
    async reloadExtensions() {
      extensions = await extensions.again(givenPlugins);
      await servers.findAgain();
      await parts.remakeTools();
    },
    givenPlugins,
    toldCommands: null,
    extras: noExtras(),
    registeredRoots: new Set(),
    get hostAgents() {
      return host.agents;
    },
    async setHostAgents(agents) {
      host.agents = agents;
      await parts.remakeTools();
      await runAs(parts, launch);
    },
    enabledSkills: null,
    namePlan: once(() => {
      if (!transcript.chain.planName) transcript.chain.assignPlanName(planName(runtime.ids.uuid()));
    }),
    warnOnce: warn,
    partials: config.includePartialMessages === true,
    ordered: engine.ordered,
    replayUserMessages: config.replayUserMessages === true,
    replayHistory: config.replayHistory === true,
    toolSession,
    home,
    configHome,
    leftTasks: leftTasks(() => parts, { home, hasPast: transcript.hasPast }),
    sandbox,
    sandboxIn,
    worktree,
    hideCredentials,
    toolContext: (toolUseId, signal) => ({
      workspace,
      files,
      toolUseId,
      runtime,
      env: parts.hooks ? { ...environment, ...parts.hooks.commandEnv() } : environment,
      spillDir: transcript.spillDir,
      signal,
      session: toolSession,
    }),
  };
  if (hasTeams)
    parts.team = (await import('./agents/session-team.ts')).openSessionTeam(
      () => parts,
      configHome ?? transcript.filesRoot,
    );
  await runAs(parts, launch);
  if (config.jsonSchema !== undefined) await parts.setSchema(config.jsonSchema);
  if (givenHooks.length > 0) await parts.openHooks();
  await servers.find();
  if (promptTool !== undefined) {
    (await import('./permission-prompt-tool.ts')).checkPromptTool(promptTool, parts, config);
  }
  return parts;
}

/** What makes the main thread an agent is loaded where one is named. */
async function runAs(parts: Parts, launch: RunConfig): Promise<void> {
  if (launch.agent !== undefined) await (await import('./agents/main-agent.ts')).becomeAgent(parts, launch);
}

/** Paths that are others on another machine, by the names that recordings give them. */
function places([cwd = '', ...others]: readonly string[], results: string): Record<string, string> {
  return { cwd, ...Object.fromEntries(others.map((root, at) => [`dir${at + 1}`, root])), results };
}

/** Null where transcripts are no files. */
function agentsDir({ key, store }: OpenTranscript): string | null {
  const path = store.locate?.(key);
  return path === undefined ? null : subagentsFolder(path);
}

function unknownPrice(model: string): string {
  return `No price is known for the model ${model}: its cost is counted as 0`;
}
