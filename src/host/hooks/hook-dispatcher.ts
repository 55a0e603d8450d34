import { createHooks, type Dispatcher } from '../../hooks/dispatch.ts';
import { transcriptPaths } from '../../sessions/files/session-paths.ts';
import { stringField } from '../../util/json.ts';
import type { Processes } from '../../util/process/process.ts';
import { type Env, toolEnv } from '../engine/environment.ts';
import { fitsCondition } from './hook-condition.ts';
import type { HookContext } from './hook-context.ts';
import { createHookEnv, ENV_EVENTS, type HookEnv } from './hook-environment.ts';
import { effortField } from './hook-fields.ts';
import type { HookRegistry } from './hook-registry.ts';
import { hookServices } from './hook-services.ts';
import type { HookActions, HookedThread } from './hooked-thread.ts';

export interface HookDispatcherOptions {
  processes: Processes;
  /** That of the session; a change of its model may change what it hides. */
  env(): Env;
  /** The directory of the project's files and hooks: not a worktree, which is a copy. */
  project: string;
  /** The config home with the transcripts; null when transcripts are not files. */
  home: string | null;
  /** Whether lines report the runs for all events. */
  announcesAll: boolean;
  askAgent: HookActions['askAgent'];
}

export interface DispatcherParts {
  registry: HookRegistry;
  context: HookContext;
  hookEnv: HookEnv;
  promptId(): string | null;
  /** Called when a hook in the background has ended; null: it has no objection. */
  onWake(objection: string | null): void;
}

/** Runs the hooks of a session: prepares their environment and input, and uses late answers. */
export function hookDispatcher(
  thread: HookedThread,
  options: HookDispatcherOptions,
  { registry, context, hookEnv, promptId, onWake }: DispatcherParts,
): Dispatcher {
  const { services, conversation, workplace, permissions, toolbox } = thread;
  const { id: sessionId, runtime, link, telemetry, hideCredentials } = services;
  const { workspace } = workplace;
  const transcriptPath = transcriptFile(thread, options.home);
  const env = () => ({
    ...toolEnv(options.env()),
    CLAUDECODE: '1',
    CLAUDE_PROJECT_DIR: options.project,
    CLAUDE_CODE_SESSION_ID: sessionId,
  });
  return createHooks({
    hooks: (agentId) => registry.applying(agentId),
    sessionId,
    base: () => ({
      session_id: sessionId,
      transcript_path: transcriptPath,
      cwd: workplace.shell.current(),
      ...(promptId() !== null && { prompt_id: promptId() }),
      ...effortField(thread),
    }),
    permissionMode: () => permissions.policy.mode,
    environment: {
      processes: options.processes,
      cwd: workspace.cwd,
      get env() {
        return besideSandbox(thread, env());
      },
      variablesFor: (hook) => ({ ...telemetry?.variables(), ...hookEnv.variablesFor(hook) }),
      hide: (text) => hideCredentials(text),
    },
    callHost: (request, how) => link.call(request, how),
    port: hookServices(thread, options),
    async fits(condition, event) {
      const ofAgent = registry.ofAgents.conditionsOf(stringField(event, 'agent_id') ?? '');
      const ofMain = () => ({ tools: toolbox.registry, workspace, policy: permissions.inForce() });
      return fitsCondition(condition, event, ofAgent ?? ofMain());
    },
    onWake,
    newId: () => runtime.ids.uuid(),
    log: runtime.log,
    send: (line) => link.send(line),
    announcesAll: options.announcesAll,
    async onLate(late, event) {
      context.add(late);
      if (ENV_EVENTS.has(event)) await hookEnv.refresh();
    },
    async onCommand({ event, name, command, toolUseId }) {
      if (event !== 'SessionStart') return;
      const data = { type: 'hook_progress', hookEvent: event, hookName: name, command };
      await conversation.events.progress(data, { uuid: runtime.ids.uuid(), toolUseID: toolUseId });
    },
  });
}

/** The environment that hooks of the session change for later commands. */
export function sessionHookEnv(thread: HookedThread, { processes, env }: HookDispatcherOptions): HookEnv {
  const { workplace, services } = thread;
  return createHookEnv({
    processes,
    cwd: workplace.workspace.cwd,
    env: () => besideSandbox(thread, toolEnv(env())),
    log: services.runtime.log,
  });
}

/** Hooks run outside of the sandbox, with the variables that commands in it have. */
function besideSandbox({ workplace }: Pick<HookedThread, 'workplace'>, env: Env): Env {
  return workplace.sandbox.shell?.beside(env) ?? env;
}

/** Empty when the transcript is not a file. */
function transcriptFile({ conversation }: Pick<HookedThread, 'conversation'>, home: string | null): string {
  const { key, isSaved } = conversation.transcript;
  return home !== null && isSaved ? transcriptPaths(home, key)[0] : '';
}
