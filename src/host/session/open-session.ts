import { Aborted } from '../../util/abort.ts';
import type { Launch } from '../../wire/run-config.ts';
import type { Engine } from '../engine/engine.ts';
import { secretValues } from '../engine/environment.ts';
import { credentialHider } from '../engine/hide-credentials.ts';
import { type LaunchContext, openLaunchContext } from '../launch/launch-context.ts';
import { readPrompts } from '../launch/system-prompt.ts';
import type { Emit } from '../link/outbox.ts';
import { sessionModels } from '../models/choose-model.ts';
import { createKnownModels } from '../models/known-models.ts';
import { type Opening, openTranscript } from '../resume/open-transcript.ts';
import type { MainThread } from '../thread/thread.ts';
import { connectSession } from './connect-session.ts';
import { openMainThread } from './open-main-thread.ts';
import { Session } from './session.ts';

/** Opens a session: new, resumed, continued or forked, as the launch says. Rejects with a HeddleError. */
export async function openSession(engine: Engine, launch: Launch, emit: Emit, opening: Opening = {}): Promise<Session> {
  const context = await openLaunchContext(engine, launch, async (project) => {
    const { enterWorktree } = await import('../worktrees/session-worktree.ts');
    return enterWorktree(engine, project, opening.signal);
  });
  let main: MainThread;
  try {
    main = await openAt(engine, context, launch, { emit, opening });
  } catch (error) {
    await context.worktree?.leave();
    throw error;
  }
  const { services, model, workplace, conversation } = main;
  const details = {
    model: model.selected.id,
    cwd: workplace.workspace.cwd,
    pastMessages: conversation.messages.length,
  };
  engine.runtime.log('debug', `Session ${services.id} is open`, details);
  const session = new Session(main);
  conversation.transcript.lost?.addEventListener('abort', () => session.stop(new Aborted('taken')), { once: true });
  if (launch.config.continueTurn) session.continueTurn();
  return session;
}

async function openAt(
  engine: Engine,
  context: LaunchContext,
  launch: Launch,
  { emit, opening }: { emit: Emit; opening: Opening },
): Promise<MainThread> {
  const { runtime } = engine;
  const { cwd, project, configuration, config, env, configHome, workspace } = context;
  const { apiKeyHelper, awsAuthRefresh, awsCredentialExport, gcpAuthRefresh } = configuration.settings;
  const secrets = secretValues(env);
  const hideCredentials = credentialHider(() => [...secrets, ...engine.obtainedSecrets.values()]);
  const traced = { id: () => transcript.key.sessionId, env, hide: hideCredentials };
  const telemetry = (await engine.telemetry())?.open(traced) ?? null;
  const choose = sessionModels(engine, {
    config,
    env,
    cwd: project,
    configHome,
    apiKeyHelper,
    asksForModels: configuration.settings.modelCatalog,
    cloudCommands: { awsAuthRefresh, awsCredentialExport, gcpAuthRefresh },
    paths: () => namedPaths(workspace.roots, transcript.spillDir),
  });
  const models = createKnownModels(telemetry?.models(choose) ?? choose, {
    betas: config.betas ?? [],
    hasBudget: config.maxBudgetUsd !== undefined,
    log: runtime.log,
  });
  const selected = await models.select(config.model);
  const prompts = await readPrompts(config, project);
  const transcript = await openTranscript(engine, launch, cwd, { mirror: emit, ...opening });
  const known = {
    engine,
    context,
    launch: launch.config,
    emit,
    telemetry,
    hideCredentials,
    models,
    selected,
    prompts,
  };
  const launched = { ...known, transcript };
  try {
    const main = await openMainThread(launched);
    await connectSession(main, launched);
    return main;
  } catch (error) {
    await transcript.release();
    throw error;
  }
}

/** Paths that are others on another machine, by the names that recordings give them. */
function namedPaths([cwd = '', ...others]: readonly string[], results: string): Record<string, string> {
  return { cwd, ...Object.fromEntries(others.map((root, at) => [`dir${at + 1}`, root])), results };
}
