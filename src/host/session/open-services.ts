import { createBackgroundTasks } from '../../tools/background/background-tasks.ts';
import { warnOnce } from '../../util/once.ts';
import { dialectOfSdk } from '../../wire/dialect.ts';
import { TurnTriggers } from '../background/turn-triggers.ts';
import { unreportedTasks } from '../background/unreported-tasks.ts';
import { contextMaker } from '../conversation/conversation-context.ts';
import { Late } from '../engine/lazy.ts';
import { ExtensionSet } from '../extensions/extension-set.ts';
import { agentsOf, pluginsOf } from '../extensions/extensions.ts';
import { openExtensions } from '../extensions/open-extensions.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import { type SessionOptions, sessionOptions } from '../launch/session-options.ts';
import { HostLink } from '../link/host-link.ts';
import { HostPreferences } from '../link/host-preferences.ts';
import { Outbox } from '../link/outbox.ts';
import { SessionServers } from '../mcp/open-servers.ts';
import { resumeLines } from '../resume/resume-report.ts';
import { AgentService } from '../thread/agent-service.ts';
import { SessionServices } from '../thread/services.ts';
import type { LaunchedSession } from './launched-session.ts';

/** Makes what lives as long as the session. What needs the main thread is connected later, in `connect-session.ts`. */
export async function openServices(session: LaunchedSession): Promise<SessionServices> {
  const { engine, context, transcript, telemetry, hideCredentials, selected } = session;
  const { runtime } = engine;
  const { config, env, configHome, configuration, project } = context;
  const options = sessionOptions(config, env, engine);
  const directories = { cwd: project, configHome };
  const plugins = pluginsOf(config);
  const { log } = runtime;
  const opened = await openExtensions({ config, namedPlugins: plugins, env, directories, configuration, log });
  const defined = await agentsOf(config, project);
  const extensions = new ExtensionSet(opened, plugins);
  const mcp = new SessionServers({ engine, config, env, directories, configuration, extensions, log });
  const warn = warnOnce(log);
  const home = transcript.isSaved ? configHome : null;
  const { sessionId } = transcript.key;
  return new SessionServices({
    id: sessionId,
    runtime,
    options,
    preferences: new HostPreferences({
      dialect: dialectOfSdk(env.CLAUDE_AGENT_SDK_VERSION),
      partials: config.includePartialMessages === true,
      forwardsAgentText: config.forwardSubagentText === true,
    }),
    storage: { home, configHome },
    link: openLink(session, options),
    triggers: new TurnTriggers(),
    configuration,
    models: { ...session.models, choice: { env, model: selected.id } },
    extensions,
    hooks: new Late<SessionHooks>(),
    mcp,
    agents: new AgentService({
      defined,
      extensions,
      newContext: contextMaker({ engine, launch: context, extensions, mcp, warn }),
    }),
    background: {
      tasks: createBackgroundTasks(runtime),
      earlier: unreportedTasks({ sessionId, runtime, transcript }, { home, isResumed: transcript.isResumed }),
    },
    telemetry,
    hideCredentials,
    warnOnce: warn,
  });
}

function openLink({ engine: { runtime }, transcript, emit }: LaunchedSession, options: SessionOptions): HostLink {
  const { replayHistory } = options;
  const { sessionId } = transcript.key;
  const introduction = async () => resumeLines({ sessionId, runtime, transcript, replayHistory });
  const isIntroduced = transcript.report !== null || replayHistory;
  const outbox = new Outbox({ emit, runtime, sessionId, options, introduction: isIntroduced ? introduction : null });
  return new HostLink(outbox, options);
}
