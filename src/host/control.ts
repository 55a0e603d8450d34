import { Aborted } from '../util/abort.ts';
import { isObject, stringField } from '../util/json.ts';
import { ControlError, toHeddleError } from '../wire/errors.ts';
import { PERMISSION_MODE_CHOICES } from '../wire/flags.ts';
import type { ControlBody, RequestContext, RequestHandler } from '../wire/peer.ts';
import { toPermissionMode } from '../wire/permission-modes.ts';
import { invalidRequest } from './invalid-request.ts';
import type { Parts } from './parts.ts';
import type { Session } from './session.ts';
import { noteUnsupportedFields } from './unsupported.ts';

/**
 * Answers the host's control requests for one session. Every request gets exactly one answer; an unknown subtype gets
 * an error. Requests take effect in the order of their lines, also before the first user message and during a turn.
 * Those that every session may get are here; all others are in `later-requests.ts`.
 */
export function controlHandler(session: Session): RequestHandler {
  const handlers: Record<string, RequestHandler> = {
    initialize: initializer(session),
    interrupt(_request, context) {
      // First the questions that need no answer any more, then the answer, then the lines of the interrupted turn.
      session.withdrawQuestions();
      context.afterResponse(() => {
        session.interrupt(new Aborted('interrupt'));
        session.stopAgents();
      });
      return { still_queued: session.queuedUuids() };
    },
    end_input() {
      session.endInput();
      return {};
    },
    async cancel_async_message(request) {
      const uuid = stringField(request, 'message_uuid');
      if (uuid === undefined) throw invalidRequest('message_uuid', 'a string');
      return { cancelled: await session.withdraw(uuid) };
    },
    async set_model({ model }) {
      if (model !== undefined && model !== null && typeof model !== 'string') throw invalidRequest('model', 'a string');
      return { model: await session.setModel(model ?? undefined) };
    },
    set_permission_mode: (request) => ({ mode: setPermissionMode(session, request) }),
    set_max_thinking_tokens(request) {
      const tokens = request.max_thinking_tokens ?? null;
      if (tokens !== null && !(Number.isInteger(tokens) && (tokens as number) >= 0)) {
        throw invalidRequest('max_thinking_tokens', 'a whole number, 0 or above, or null');
      }
      session.configure({ maxThinkingTokens: typeof tokens === 'number' && tokens > 0 ? tokens : null });
    },
  };
  return (request, context) => {
    const handler = Object.hasOwn(handlers, request.subtype) ? handlers[request.subtype] : undefined;
    return handler ? handler(request, context) : answerLater(session, request, context);
  };
}

/** Once the requests before it are done. One that was withdrawn by then is not begun. */
async function answerLater(session: Session, request: ControlBody, { signal }: RequestContext): Promise<unknown> {
  const wasBusy = session.isBusy;
  const begun = await session.change(async (parts) => {
    const { findRequest } = await import('./later-requests.ts');
    const { load, betweenTurns, isLong } = findRequest(request.subtype);
    if (wasBusy && betweenTurns !== undefined) {
      throw new ControlError(`${betweenTurns} while a turn is running: interrupt it or wait`, 'turn_running');
    }
    const answer = await load();
    signal.throwIfAborted();
    const body = answer(parts, request, signal);
    return { body: isLong ? body : await body }; // a promise inside of an object is not waited for
  });
  return begun.body;
}

/** Answers `initialize`, which succeeds once. */
function initializer(session: Session): RequestHandler {
  let initialized = false;
  /** A schema that is none leaves the session uninitialized, so that the host can try again. */
  async function applySchema(schema: unknown): Promise<void> {
    try {
      if (!isObject(schema)) throw invalidRequest('jsonSchema', 'an object');
      await session.setSchema(schema);
    } catch (error) {
      initialized = false;
      session.refuse(`The initialize request was refused: ${toHeddleError(error).message}`);
      throw error;
    }
  }
  return async (request, context) => {
    // A host that connects again learns what is still waiting for its answer.
    const beside = { pending_permission_requests: session.pendingPermissions() };
    if (initialized) throw new ControlError('Already initialized', undefined, { beside });
    initialized = true;
    session.refuse(null);
    session.configure({
      ...textOption('systemPrompt', request.systemPrompt),
      ...textOption('appendSystemPrompt', request.appendSystemPrompt),
    });
    useTitle(session, request);
    useHooks(session, request);
    useExtensions(session, request);
    void session.change(async ({ runtime }) => noteUnsupportedFields(request, runtime.log));
    startServers(session, request);
    if (request.jsonSchema !== undefined) await applySchema(request.jsonSchema);
    context.beside({ ...beside, pending_user_dialog_requests: [] });
    return session.describe();
  };
}

/** A new session gets the title with its first message; one that is gone on with keeps its own. */
function useTitle(session: Session, request: ControlBody): void {
  const title = stringField(request, 'title')?.trim();
  if (!title) return;
  void session.change(async (parts) => {
    if (parts.messages.length === 0) parts.title ??= title;
  });
}

/** The agents that the host defines, what it wants to hear of them, and the skills that it wants the model to have. */
function useExtensions(session: Session, request: ControlBody): void {
  const { agents, skills, forwardSubagentText, perTaskStopAffordance } = request;
  if ([agents, skills, forwardSubagentText, perTaskStopAffordance].every((field) => field === undefined)) return;
  const use = async (parts: Parts) => {
    if (forwardSubagentText === true) parts.forwardsAgentText = true;
    if (perTaskStopAffordance === true) parts.interruptSparesTasks = true;
    if (isObject(agents)) await parts.setHostAgents(agents);
    if (Array.isArray(skills)) parts.enabledSkills = skills.filter((name) => typeof name === 'string');
  };
  session.change(use).catch((error) => session.refuse(toHeddleError(error).message));
}

/** Functions of the host, by their ids. The next turn waits for them: no hook, no protection. */
function useHooks(session: Session, { hooks }: ControlBody): void {
  if (hooks === undefined || hooks === null || (isObject(hooks) && Object.keys(hooks).length === 0)) return;
  const add = async (parts: Parts) => (await parts.openHooks()).add(hooks, { scope: 'host', where: 'the host' });
  session
    .change(add)
    .catch((error) => session.refuse(`The hooks could not be loaded: ${toHeddleError(error).message}`));
}

/** Behind the answer to `initialize`: the next turn waits for the servers (ruling K10). */
function startServers(session: Session, request: ControlBody): void {
  const isNamingSome = Array.isArray(request.sdkMcpServers) && request.sdkMcpServers.length > 0;
  const start = async (parts: Parts) => (isNamingSome ? await parts.openMcp() : parts.mcp)?.start(request);
  session.change(start).catch((error) => session.reportBadInput(toHeddleError(error).message));
}

function setPermissionMode(session: Session, request: ControlBody): string {
  const name = stringField(request, 'mode') ?? '';
  const mode = toPermissionMode(name);
  if (!mode) {
    const choices = PERMISSION_MODE_CHOICES.join(', ');
    throw new ControlError(`Unknown permission mode '${name}': use one of ${choices}`, 'invalid_mode');
  }
  try {
    session.setPermissionMode(mode);
  } catch (error) {
    throw new ControlError(toHeddleError(error).message, 'bypass_not_launched', { cause: error });
  }
  return mode;
}

/** A prompt comes as a string, or as an array of blocks from newer SDKs. */
function textOption(key: 'systemPrompt' | 'appendSystemPrompt', value: unknown) {
  if (typeof value === 'string') return { [key]: value };
  if (Array.isArray(value))
    return { [key]: value.map((part) => (isObject(part) ? stringField(part, 'text') : part)).join('\n') };
  return {};
}
