import type { Attachment } from '../agent/attachment.ts';
import { kindOfTrouble } from '../agent/failures.ts';
import type { TurnEnd } from '../agent/loop.ts';
import { resultLine } from '../agent/result.ts';
import { emptyTally } from '../agent/turn.ts';
import { createHooks } from '../hooks/dispatch.ts';
import { foldAnswers, type HookOutcome, NOTHING } from '../hooks/fold.ts';
import { AGENTS_MISSING, type Hook, type HookSource } from '../hooks/hook.ts';
import { readHooks } from '../hooks/read-hooks.ts';
import { transcriptPaths } from '../sessions/layout.ts';
import { stringField } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { printable } from '../util/printable.ts';
import type { Processes } from '../util/process.ts';
import { within } from '../util/timer.ts';
import { type Env, toolEnv } from './home.ts';
import { type GivenHooks, mayDisable, type SessionHooks } from './hooks.ts';
import { conditionProblems, fitsCondition } from './hooks-condition.ts';
import { createHookEnv, ENV_EVENTS } from './hooks-env.ts';
import {
  blockedLine,
  effortField,
  expansionFields,
  isHeldUp,
  promptText,
  stopFields,
  summaryFields,
  verdictOf,
} from './hooks-fields.ts';
import { hookSeams } from './hooks-seams.ts';
import { promptFields, startFields, withOpening } from './hooks-start.ts';
import { createWakes } from './hooks-wake.ts';
import { createPlaceWatch } from './hooks-watch.ts';
import { policyNow } from './make-turn.ts';
import type { Parts } from './parts.ts';
import type { LoadedSettings } from './settings.ts';
import { changedLayers } from './settings-changes.ts';
import { watchTasks } from './task-hooks.ts';

export interface SessionHooksOptions {
  given: readonly GivenHooks[];
  processes: Processes;
  env: Env;
  /** Where the project's own files are read, hooks among them: not in a worktree, which is a copy. */
  project: string;
  /** Under which the transcripts are files; null when they are none. */
  home: string | null;
  /** Whether the runs for all events are told. */
  tellsAll: boolean;
  /** What the launch asks for beside the conversation: the project is to be made ready, or looked after. */
  setup: 'init' | 'maintenance' | null;
}

/** What hooks may take at the end: when nobody wants to wait, and those that nobody waited for. */
const STOPPED_MS = 2000;
const SETTLE_MS = 5000;

/** The hooks of a session: when each event happens, and what becomes of the answers. `parts` is asked late. */
export function openSessionHooks(parts: () => Parts, options: SessionHooksOptions): SessionHooks {
  const hooks: Hook[] = [];
  const { runtime, sessionId, workspace } = parts();
  const { log, ids } = runtime;
  const { home } = options;
  const { key, isKept } = parts().transcript;
  const transcriptPath = home !== null && isKept ? transcriptPaths(home, key)[0] : '';
  const seams = hookSeams(parts, options.env);
  let contexts: string[] = [];
  /** What SessionStart hooks want to be said first. */
  const opening: string[] = [];
  let hasBegun = false;
  /** A SessionStart hook wants the turn to end that the session begins with. */
  let startStop: HookOutcome['stop'] = null;
  let answeredAt: number | null = null;
  /** Of the prompt that is being answered. */
  let promptId: string | null = null;
  /** Hooks of skills that are in use. */
  let borrowed: Hook[] = [];
  /** Hooks of agents that are at work, by their ids. */
  const ofAgents = new Map<string, Hook[]>();
  const agents: SessionHooks['agents'] = new Map();
  let loose: Promise<unknown> = Promise.resolve();
  let loaded = parts().configuration.loaded;
  let stopSummary: { outcome: HookOutcome; toolUseID: string } | null = null;

  const read = (given: unknown, source: HookSource): Hook[] => {
    const found = readHooks(given, source);
    const isMissing = !seams.askAgent && found.hooks.some(({ kind }) => kind === 'agent');
    for (const problem of [
      ...found.problems,
      ...conditionProblems(found.hooks),
      ...(isMissing ? [AGENTS_MISSING] : []),
    ]) {
      log('warn', printable(`${source.where}: ${problem}`));
    }
    return found.hooks;
  };
  const add: SessionHooks['add'] = (given, source) => {
    hooks.push(...read(given, source));
  };
  for (const { given, source } of options.given) add(given, source);

  const env = {
    ...toolEnv(options.env),
    CLAUDECODE: '1',
    CLAUDE_PROJECT_DIR: options.project,
    CLAUDE_CODE_SESSION_ID: sessionId,
  };
  const beside = (given: Env) => parts().sandbox.shell?.beside(given) ?? given;
  const shellCwd = () => parts().toolSession.shellDirectory.current();
  const hookEnv = createHookEnv({
    processes: options.processes,
    cwd: workspace.cwd,
    env: () => beside(toolEnv(options.env)),
    log,
  });
  const dispatcher = createHooks({
    hooks: (agentId = '') => [...hooks, ...borrowed, ...(ofAgents.get(agentId) ?? [])],
    sessionId,
    base: () => ({
      session_id: sessionId,
      transcript_path: transcriptPath,
      cwd: shellCwd(),
      ...(promptId !== null && { prompt_id: promptId }),
      ...effortField(parts()),
    }),
    permissionMode: () => parts().permissions.policy.mode,
    place: {
      processes: options.processes,
      cwd: workspace.cwd,
      get env() {
        return beside(env);
      },
      variablesFor: (hook) => ({ ...parts().telemetry?.variables(), ...hookEnv.variablesFor(hook) }),
      hide: (text) => parts().hideCredentials(text),
    },
    callHost: (request, how) => parts().callHost(request, how),
    seams,
    async fits(condition, event) {
      const caller = agents.get(stringField(event, 'agent_id') ?? '') ?? parts;
      return fitsCondition(condition, event, { ...caller(), policy: policyNow(caller()) });
    },
    onWake: (objection) => wakes.ended(objection),
    newId: () => ids.uuid(),
    log,
    say: (line) => parts().say(line),
    tellsAll: options.tellsAll,
    async onLate(late, event) {
      contexts.push(...late);
      if (ENV_EVENTS.has(event)) await hookEnv.refresh();
    },
    async onCommand({ event, name, command, toolUseId }) {
      if (event !== 'SessionStart') return;
      const data = { type: 'hook_progress', hookEvent: event, hookName: name, command };
      await parts().recorder.progress(data, { uuid: ids.uuid(), toolUseID: toolUseId });
    },
  });

  const fire: SessionHooks['fire'] = async (event, payload, signal, toolUseId) => {
    const outcome = await dispatcher.fire(event, payload, signal, toolUseId);
    if (ENV_EVENTS.has(event)) await hookEnv.refresh();
    if (event === 'PostToolUse' || event === 'PostToolUseFailure') await watch.look(signal);
    // Of these nobody waits for what is added.
    if (event === 'Notification' || event === 'PostModelSwitch') collect(outcome);
    return outcome;
  };
  const collect = (outcome: HookOutcome) => {
    contexts.push(...outcome.contexts);
  };
  /** It is recorded with the next prompt. */
  const adoptTitle = ({ sessionTitle }: HookOutcome) => {
    if (sessionTitle !== null && sessionTitle !== parts().titleInForce) parts().title = sessionTitle;
  };

  /** Nobody waits for it before the end. */
  const letRun = (told: Promise<unknown>) => {
    const settled = told.catch((error) => log('warn', `Hooks could not be told: ${messageOf(error)}`));
    loose = Promise.all([loose, settled]);
  };

  const wakes = createWakes({ mayWake: dispatcher.mayWake, onNews: () => parts().wake(), log });

  const watch = createPlaceWatch({
    fire,
    fileHooks: () => hooks.filter(({ event }) => event === 'FileChanged'),
    cwd: shellCwd,
    roots: () => parts().permissions.policy.roots,
    addedBy: (root) => (parts().registeredRoots.has(root) ? 'register_repo_root' : 'slash_command'),
  });
  parts().memory.onLoaded = (file) => {
    letRun(fire('InstructionsLoaded', { ...file }, new AbortController().signal));
  };

  async function start(source: 'startup' | 'resume' | 'clear', signal: AbortSignal): Promise<void> {
    hasBegun = true;
    const outcome = await fire('SessionStart', startFields(parts(), source), signal);
    collect(outcome);
    adoptTitle(outcome);
    opening.push(...outcome.initialUserMessages);
    if (outcome.reloadSkills) await (await import('./reload-control.ts')).reloadSkills(parts());
    startStop = outcome.stop;
    if (outcome.watchPaths !== null) watch.watch(outcome.watchPaths);
  }

  /** Tells what is other in these settings. Why they shall not act; null when nobody objects who may. */
  async function tellChanges(next: LoadedSettings, signal: AbortSignal): Promise<string | null> {
    const objections: (string | null)[] = [];
    for (const { source, scope, path } of changedLayers(loaded, next)) {
      const { runs } = await fire('ConfigChange', { source, ...(path !== null && { file_path: path }) }, signal);
      const entitled = runs.filter(({ hook }) => mayDisable(hook.source.scope, scope));
      objections.push(foldAnswers('ConfigChange', source, entitled).block);
    }
    return objections.find((reason) => reason !== null) ?? null;
  }

  /** The last word of Stop hooks is recorded when the conversation goes on, as in the reference (wire.md 8.3). */
  async function recordStop(): Promise<void> {
    const summary = stopSummary;
    stopSummary = null;
    if (summary) await parts().recorder.system('stop_hook_summary', { ...summaryFields(summary), uuid: ids.uuid() });
  }

  const hooksOfSession: SessionHooks = {
    fire,
    asked: dispatcher.asked,
    add,
    remove(scope) {
      hooks.splice(0, hooks.length, ...hooks.filter(({ source }) => source.scope !== scope));
    },
    addForTurn(given, source) {
      borrowed.push(...read(given, source));
    },
    addForAgent(agentId, given, source) {
      ofAgents.set(agentId, [...(ofAgents.get(agentId) ?? []), ...read(given, source)]);
    },
    removeForAgent(agentId) {
      ofAgents.delete(agentId);
      agents.delete(agentId);
    },
    agents,
    all: () => hooks,
    async begin(signal) {
      borrowed = [];
      await recordStop();
      startStop = null;
      if (!hasBegun && options.setup) collect(await fire('Setup', { trigger: options.setup }, signal));
      if (!hasBegun) await start(parts().transcript.hasPast ? 'resume' : 'startup', signal);
      // What the host itself has changed was not asked about.
      const { loaded: now } = parts().configuration;
      if (loaded !== now) await tellChanges(now, signal);
      loaded = now;
      await watch.look(signal);
    },
    async mayChange(next) {
      const objection = await tellChanges(next, new AbortController().signal);
      if (objection === null) loaded = next;
      else log('warn', printable(`The changed settings do not act: ${objection}`));
      return objection === null;
    },
    async submit(input, signal, called) {
      wakes.prompted();
      promptId = input.uuid ?? ids.uuid();
      const prompt = promptText(input);
      const expansion = called ? await fire('UserPromptExpansion', expansionFields(called, prompt), signal) : NOTHING;
      const outcome = isHeldUp(expansion)
        ? expansion
        : await fire('UserPromptSubmit', { prompt, ...promptFields(parts(), input) }, signal);
      const stop = startStop ?? outcome.stop;
      const reason = outcome.block ?? (stop && (stop.reason || 'A hook stopped it'));
      if (reason === null) {
        collect(expansion);
        collect(outcome);
        adoptTitle(outcome);
        return null;
      }
      log('warn', printable(`The prompt was not sent: ${reason}`));
      const by =
        startStop && outcome.block === null
          ? 'SessionStart'
          : outcome === expansion
            ? 'UserPromptExpansion'
            : 'UserPromptSubmit';
      const repeated = outcome.hidesPrompt ? '' : `\n\nThe prompt: ${prompt}`;
      const content = `A ${by} hook did not let this prompt through: ${reason}${repeated}`;
      const uuid = ids.uuid();
      await parts().recorder.system('informational', { content, isMeta: false, level: 'warning', uuid });
      // No line of the user's was said: that makes no turn at all (wire.md 10.3).
      const tally = { ...emptyTally(), userLines: -1 };
      const { ledger, dialect } = parts();
      const facts = { sessionId, uuid: ids.uuid(), durationMs: 0, dialect, ledger, tally };
      const result = resultLine({ kind: 'hook_stopped', reason }, facts);
      return { line: blockedLine(reason, { uuid, sessionId }), result };
    },
    withOpening: (input) => withOpening(input, opening.splice(0)),
    takeContexts() {
      const taken = contexts.map((content): Attachment => ({ type: 'hook_context', content }));
      contexts = [];
      return taken;
    },
    commandEnv: hookEnv.changes,
    news: wakes,
    get answeredAt() {
      return answeredAt;
    },
    async beforeStop(again, signal) {
      const toolUseID = ids.uuid();
      const outcome = await fire('Stop', { stop_hook_active: again, ...stopFields(parts()) }, signal, toolUseID);
      if (outcome.runs.length > 0) stopSummary = { outcome, toolUseID };
      collect(outcome);
      return verdictOf(outcome);
    },
    hear(line) {
      if (line.type !== 'system' || line.subtype !== 'model_fallback') return;
      const { original_model: from, fallback_model: to } = line;
      const told = import('./model-switch.ts').then(({ tellOfSwitch }) =>
        tellOfSwitch(parts(), hooksOfSession, { from, to, requested: null, source: 'auto' }),
      );
      letRun(told);
    },
    async ended(end: TurnEnd, signal) {
      answeredAt = runtime.clock.now();
      if (end.kind === 'api_error')
        await fire('StopFailure', { error: kindOfTrouble(end.failure), error_details: end.text }, signal);
    },
    async cleared(signal) {
      contexts = [];
      stopSummary = null;
      await fire('SessionEnd', { reason: 'clear' }, signal);
      await start('clear', signal);
    },
    watchTasks: (tasks) => watchTasks(tasks, { fire, team: () => parts().team?.name() ?? null }),
    async end({ isStopped }) {
      if (!hasBegun) return;
      const signal = isStopped ? AbortSignal.timeout(STOPPED_MS) : new AbortController().signal;
      await fire('SessionEnd', { reason: 'other' }, signal);
      await within(isStopped ? 0 : SETTLE_MS, loose);
      const left = await dispatcher.settle(isStopped ? 0 : SETTLE_MS);
      if (left > 0) log('warn', `${left} asynchronous hook(s) were still at work when the session ended`);
      hookEnv.close();
    },
  };
  return hooksOfSession;
}
