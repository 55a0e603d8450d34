import type { Attachment } from '../agent/attachment.ts';
import { userContent } from '../agent/conversation.ts';
import type { TurnEnd } from '../agent/loop.ts';
import { resultLine } from '../agent/result.ts';
import { emptyTally, type StopVerdict } from '../agent/turn.ts';
import { createHooks } from '../hooks/dispatch.ts';
import type { HookOutcome } from '../hooks/fold.ts';
import { type Hook, hookLabel } from '../hooks/hook.ts';
import { informationalLine } from '../hooks/hook-lines.ts';
import { readHooks } from '../hooks/read-hooks.ts';
import { transcriptPaths } from '../sessions/layout.ts';
import { printable } from '../util/printable.ts';
import type { Processes } from '../util/process.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { Parts } from './assemble.ts';
import { type Env, toolEnv } from './home.ts';
import type { GivenHooks, SessionHooks } from './hooks.ts';
import { changedLayers } from './settings-changes.ts';
import { watchTasks } from './task-hooks.ts';

export interface SessionHooksOptions {
  given: readonly GivenHooks[];
  processes: Processes;
  env: Env;
  /** Under which the transcripts are files; null when they are none. */
  home: string | null;
  /** Whether the runs for all events are told. */
  tellsAll: boolean;
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
  let contexts: string[] = [];
  let hasBegun = false;
  let loaded = parts().configuration.loaded;
  let shellCwd = workspace.cwd;
  let stopSummary: { outcome: HookOutcome; toolUseID: string } | null = null;

  const add: SessionHooks['add'] = (given, source) => {
    const read = readHooks(given, source);
    hooks.push(...read.hooks);
    for (const problem of read.problems) log('warn', printable(`${source.where}: ${problem}`));
  };
  for (const { given, source } of options.given) add(given, source);

  const dispatcher = createHooks({
    hooks: () => hooks,
    sessionId,
    base: () => ({
      session_id: sessionId,
      transcript_path: transcriptPath,
      cwd: parts().toolSession.shellDirectory.current(),
    }),
    permissionMode: () => parts().permissions.policy.mode,
    place: {
      processes: options.processes,
      cwd: workspace.cwd,
      env: {
        ...toolEnv(options.env),
        CLAUDECODE: '1',
        CLAUDE_PROJECT_DIR: workspace.cwd,
        CLAUDE_CODE_SESSION_ID: sessionId,
      },
      hide: (text) => parts().hideCredentials(text),
    },
    callHost: (request, how) => parts().callHost(request, how),
    newId: () => ids.uuid(),
    log,
    say: (line) => parts().say(line),
    tellsAll: options.tellsAll,
    async onCommand({ event, name, command, toolUseId }) {
      if (event !== 'SessionStart') return;
      const data = { type: 'hook_progress', hookEvent: event, hookName: name, command };
      await parts().recorder.progress(data, { uuid: ids.uuid(), toolUseID: toolUseId });
    },
  });

  const fire: SessionHooks['fire'] = async (event, payload, signal, toolUseId) => {
    const outcome = await dispatcher.fire(event, payload, signal, toolUseId);
    if (event === 'PostToolUse' || event === 'PostToolUseFailure') await tellDirectory(signal);
    return outcome;
  };
  const collect = (outcome: HookOutcome) => {
    contexts.push(...outcome.contexts);
  };

  async function tellDirectory(signal: AbortSignal): Promise<void> {
    const now = parts().toolSession.shellDirectory.current();
    if (now === shellCwd) return;
    const payload = { old_cwd: shellCwd, new_cwd: now };
    shellCwd = now;
    await dispatcher.fire('CwdChanged', payload, signal);
  }

  async function start(source: 'startup' | 'resume' | 'clear', signal: AbortSignal): Promise<void> {
    hasBegun = true;
    collect(await fire('SessionStart', { source }, signal));
  }

  async function tellChanges(signal: AbortSignal): Promise<void> {
    const before = loaded;
    loaded = parts().configuration.loaded;
    for (const { source, path } of changedLayers(before, loaded)) {
      await fire('ConfigChange', { source, ...(path !== null && { file_path: path }) }, signal);
    }
  }

  /** The last word of Stop hooks is recorded when the conversation goes on, as in the reference (wire.md 8.3). */
  async function recordStop(): Promise<void> {
    const summary = stopSummary;
    stopSummary = null;
    if (summary) await parts().recorder.system('stop_hook_summary', { ...summaryFields(summary), uuid: ids.uuid() });
  }

  return {
    fire,
    asked: dispatcher.asked,
    add,
    all: () => hooks,
    async begin(signal) {
      await recordStop();
      if (!hasBegun) await start(parts().transcript.hasPast ? 'resume' : 'startup', signal);
      else if (loaded !== parts().configuration.loaded) await tellChanges(signal);
    },
    async submit(input, signal) {
      const prompt = promptText(input);
      const outcome = await fire('UserPromptSubmit', { prompt }, signal);
      const reason = outcome.block ?? (outcome.stop && (outcome.stop.reason || 'A hook stopped it'));
      if (reason === null) {
        collect(outcome);
        return null;
      }
      contexts = [];
      log('warn', printable(`The prompt was not sent: ${reason}`));
      const content = `A UserPromptSubmit hook did not let this prompt through: ${reason}\n\nThe prompt: ${prompt}`;
      const uuid = ids.uuid();
      await parts().recorder.system('informational', { content, isMeta: false, level: 'warning', uuid });
      // No line of the user's was said: that makes no turn at all (wire.md 10.3).
      const tally = { ...emptyTally(), userLines: -1 };
      const facts = { sessionId, uuid: ids.uuid(), durationMs: 0, ledger: parts().ledger, tally };
      const result = resultLine({ kind: 'hook_stopped', reason }, facts);
      return { line: blockedLine(reason, { uuid, sessionId }), result };
    },
    takeContexts() {
      const taken = contexts.map((content): Attachment => ({ type: 'hook_context', content }));
      contexts = [];
      return taken;
    },
    async beforeStop(again, signal) {
      const toolUseID = ids.uuid();
      const outcome = await fire('Stop', { stop_hook_active: again }, signal, toolUseID);
      if (outcome.runs.length > 0) stopSummary = { outcome, toolUseID };
      collect(outcome);
      return verdictOf(outcome);
    },
    async ended(end: TurnEnd, signal) {
      if (end.kind === 'api_error')
        await fire('StopFailure', { error: end.failure.class, error_details: end.text }, signal);
    },
    async cleared(signal) {
      contexts = [];
      stopSummary = null;
      await fire('SessionEnd', { reason: 'clear' }, signal);
      await start('clear', signal);
    },
    watchTasks: (tasks) => watchTasks(tasks, { fire }),
    async end({ isStopped }) {
      if (!hasBegun) return;
      const signal = isStopped ? AbortSignal.timeout(STOPPED_MS) : new AbortController().signal;
      await fire('SessionEnd', { reason: 'other' }, signal);
      const left = await dispatcher.settle(isStopped ? 0 : SETTLE_MS);
      if (left > 0) log('warn', `${left} asynchronous hook(s) were still at work when the session ended`);
    },
  };
}

function promptText({ message }: UserInput): string {
  return userContent(message)
    .flatMap((block) => (block.type === 'text' ? block.text : []))
    .join('\n');
}

function verdictOf({ stop, block }: HookOutcome): StopVerdict {
  if (stop) return { kind: 'end', reason: stop.reason };
  return block === null ? { kind: 'stop' } : { kind: 'continue', feedback: `Stop hook feedback:\n${block}` };
}

function blockedLine(reason: string, ids: { uuid: string; sessionId: string }): Message {
  const outcome = { kind: 'blocked_by_hook', prompt_kept: false, reason };
  const content = `The prompt was not sent: ${reason}`;
  return informationalLine(
    { content, level: 'warning', prevent_continuation: true, prompt_submit_outcome: outcome },
    ids,
  );
}

function summaryFields({ outcome, toolUseID }: { outcome: HookOutcome; toolUseID: string }) {
  const { runs, block, stop } = outcome;
  return {
    hookCount: runs.length,
    hookInfos: runs.map(({ hook }) => ({ command: hookLabel(hook) })),
    hookErrors: block === null ? [] : [block],
    preventedContinuation: stop !== null,
    stopReason: stop?.reason ?? '',
    hasOutput: block !== null || outcome.contexts.length > 0,
    level: 'suggestion',
    toolUseID,
  };
}
