import type { Message } from '../../wire/messages/index.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { watchSessionTasks } from '../background/task-triggers.ts';
import { envWith } from '../engine/environment.ts';
import { pluginHooks } from '../extensions/extensions.ts';
import type { HookActions } from '../hooks/hooked-thread.ts';
import { hookTriggers } from '../hooks/session-hooks.ts';
import { hooksInLayers } from '../launch/hook-settings.ts';
import { askTool, checkPromptTool } from '../link/permission-prompt-tool.ts';
import { announceSwitch } from '../thread/switch-model.ts';
import type { MainThread } from '../thread/thread.ts';
import type { LaunchedSession } from './launched-session.ts';
import { teamsAreOn } from './open-main-thread.ts';
import { reloadExtensions } from './reload-extensions.ts';

/**
 * Connects the services of a session to its main thread, and opens what the launch asks for: a team, the role of an
 * agent, an output schema, hooks, MCP servers. All loaders of the session are set here, each once.
 */
export async function connectSession(main: MainThread, session: LaunchedSession): Promise<void> {
  const { services, toolbox } = main;
  const { launch, context } = session;
  const { config } = context;
  const hasHooks = connectHooks(main, session);
  connectServers(main);
  connectAgents(main, launch);
  connectHost(main);
  if (teamsAreOn(context)) await leadTeam(main, context.configHome ?? session.transcript.filesRoot);
  await runAs(main, launch);
  if (config.jsonSchema !== undefined) await toolbox.setOutputSchema(config.jsonSchema);
  if (hasHooks) await services.hooks.open();
  await services.mcp.find();
  const { promptTool } = services.options;
  if (promptTool !== null) checkPromptTool(promptTool, services.mcp.current !== null, config);
  connectTriggers(main);
}

/** Sets the loader of hooks. Returns whether settings or plugins have any. */
function connectHooks(main: MainThread, { engine, context, models }: LaunchedSession): boolean {
  const { services } = main;
  const { config, configHome, env, project } = context;
  const { layers } = services.configuration.loaded;
  const configured = [...hooksInLayers(layers), ...pluginHooks(services.extensions.current, layers)];
  services.hooks.loadWith(async () => {
    const { openSessionHooks } = await import('../hooks/open-session-hooks.ts');
    return openSessionHooks(main, {
      ...hookActions(main),
      configured,
      processes: engine.processes,
      env: () => envWith(models, env),
      project,
      home: engine.hasOwnStore ? configHome : null,
      announcesAll: config.includeHookEvents === true,
      setup: config.init || config.initOnly ? 'init' : config.maintenance ? 'maintenance' : null,
    });
  });
  return configured.length > 0;
}

/** What hooks cause in other rooms. */
function hookActions(main: MainThread): HookActions {
  const { hooks } = main.services;
  return {
    async askAgent(question, signal) {
      const { askAgent } = await import('../agents/ask-agent.ts');
      return askAgent(main, question, signal);
    },
    reloadSkills: () => reloadExtensions(main),
    async announceFallback(change) {
      if (hooks.current) await announceSwitch(main, hooks.current, { ...change, requested: null, source: 'auto' });
    },
  };
}

function connectServers(main: MainThread): void {
  const { services, workplace, permissions, toolbox, model, hooks, askModel } = main;
  const { id, runtime, configuration, storage, mcp, link, extensions, hideCredentials } = services;
  mcp.serve({
    id,
    runtime,
    cwd: workplace.workspace.cwd,
    home: storage.home,
    configuration,
    permissions,
    link,
    hooks,
    model,
    askModel,
    hideCredentials,
  });
  extensions.onReload(() => mcp.findAgain());
  extensions.onReload(() => toolbox.rebuild());
}

function connectAgents(main: MainThread, launch: RunConfig): void {
  const { agents } = main.services;
  agents.onDefined(async () => {
    await main.toolbox.rebuild();
    await runAs(main, launch);
  });
}

async function leadTeam(main: MainThread, home: string): Promise<void> {
  const { openSessionTeam } = await import('../agents/session-team.ts');
  main.services.agents.leadTeam(openSessionTeam(main, home));
}

/** Makes the main thread run as the agent that the launch names. The code for it is loaded only then. */
async function runAs(main: MainThread, launch: RunConfig): Promise<void> {
  if (launch.agent !== undefined) await (await import('../agents/main-thread-role.ts')).runMainThreadAs(main, launch);
}

function connectHost(main: MainThread): void {
  const { services, permissions, conversation } = main;
  const { link, mcp, options, warnOnce } = services;
  const { promptTool } = options;
  link.outbox.onSend((line) => conversation.anchors.remember(line));
  permissions.on('mode', () => link.outbox.announceMode(permissions.policy.mode));
  if (promptTool === null) return;
  link.askWith(async (request, signal) => {
    const tool = mcp.current?.tools().find(({ name }) => name === promptTool);
    const context = main.toolContext(request.toolUseId, signal);
    return askTool({ name: promptTool, tool, context, warnOnce }, request, signal);
  });
}

function connectTriggers(main: MainThread): void {
  const { id, runtime, triggers, hooks, agents, background, link, storage } = main.services;
  const watched = {
    ...{ id, runtime, tasks: background.tasks, events: main.conversation.events },
    home: storage.home,
    cwd: main.workplace.workspace.cwd,
    send: (line: Message) => link.send(line),
  };
  triggers.add(watchSessionTasks(watched, () => triggers.wake()));
  triggers.add(hookTriggers(hooks));
  if (agents.team) triggers.add(agents.team);
}
