import { Aborted } from '../util/abort.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { ControlError, toHeddleError } from '../wire/errors.ts';
import type { ControlBody, RequestContext, RequestHandler } from '../wire/peer.ts';
import { PERMISSION_MODE_CHOICES, toPermissionMode } from '../wire/permission-modes.ts';
import { initializeAnswer } from './initialize-answer.ts';
import { startServers, useDialect, useFields } from './initialize-fields.ts';
import { invalidRequest } from './invalid-request.ts';
import type { Session } from './session.ts';

/**
 * Answers the host's control requests for one session. Every request gets exactly one answer; an unknown subtype gets
 * an error. Requests take effect in the order of their lines, also before the first user message and during a turn.
 * Those that every session may get are here; all others are in `later-requests.ts`.
 */
export function controlHandler(session: Session): RequestHandler {
  const handlers: Record<string, RequestHandler> = {
    initialize: initializer(session),
    interrupt({ cancel_queued }, context) {
      // First the questions that need no answer any more, then the answer, then the lines of the interrupted turn.
      session.withdrawQuestions();
      context.afterResponse(() => {
        session.interrupt(new Aborted('interrupt'));
        session.stopAgents();
      });
      if (cancel_queued !== true) return { still_queued: session.queuedUuids() };
      return session.withdraw().then((cancelled) => ({ still_queued: [], cancelled }));
    },
    end_input() {
      session.endInput();
      return {};
    },
    async cancel_async_message(request) {
      const uuid = stringField(request, 'message_uuid');
      if (uuid === undefined) throw invalidRequest('message_uuid', 'a string');
      return { cancelled: (await session.withdraw(uuid)).length > 0 };
    },
    async set_model({ model }) {
      if (model !== undefined && model !== null && typeof model !== 'string') throw invalidRequest('model', 'a string');
      return { model: await session.setModel(model ?? undefined) };
    },
    set_permission_mode: (request) => ({ mode: setPermissionMode(session, request) }),
    // At once: who asks for it has often sent its prompt just before.
    set_partial_messages({ enabled }) {
      if (typeof enabled !== 'boolean') throw invalidRequest('enabled', 'true or false');
      session.parts.partials = enabled;
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

/** Answers `initialize`. Only the first one that succeeds changes something; later ones tell how it stands. */
function initializer(session: Session): RequestHandler {
  let first: ControlBody | null = null;
  /** A schema that is none leaves the session uninitialized, so that the host can try again. */
  async function applySchema(schema: unknown, beside: JsonObject): Promise<void> {
    try {
      if (!isObject(schema)) throw invalidRequest('jsonSchema', 'an object');
      await session.change((parts) => parts.setSchema(schema));
    } catch (error) {
      first = null;
      const { message } = toHeddleError(error);
      session.refuse(`The initialize request was refused: ${message}`);
      const code = error instanceof ControlError ? error.errorCode : undefined;
      throw new ControlError(message, code, { beside, cause: error });
    }
  }
  return async (request, context) => {
    // A host that has lost its place learns what is still waiting for its answer.
    const beside = { pending_permission_requests: session.pending('can_use_tool') };
    context.beside({ ...beside, pending_user_dialog_requests: [] });
    if (first) return (await import('./initialize-again.ts')).initializeAgain(session, { first, request }, context);
    first = request;
    session.refuse(null);
    useDialect(session.parts, request);
    const used = useRequest(session, request);
    // The answer lists them.
    if (isObject(request.agents)) await used;
    if (request.jsonSchema !== undefined) await applySchema(request.jsonSchema, beside);
    return { ...initializeAnswer(session.parts, session, request), ...firstTime(request) };
  };
}

/** What becomes of the hooks and the manifests that the first request brings. */
function firstTime({ hooks, sdkMcpServers, sdkMcpServerManifests }: ControlBody): Record<string, unknown> {
  const named = Array.isArray(sdkMcpServers) ? sdkMcpServers : [];
  const manifests = isObject(sdkMcpServerManifests) ? Object.entries(sdkMcpServerManifests) : [];
  const parked = manifests.flatMap(([name, manifest]) => {
    const isFine = isObject(manifest) && isObject(manifest.initializeResult);
    return named.includes(name) ? [[name, isFine ? 'parked' : 'malformed']] : [];
  });
  return {
    ...(isObject(hooks) && { hooks_applied: true }),
    ...(parked.length > 0 && { sdk_mcp_manifests_parked: Object.fromEntries(parked) }),
  };
}

/**
 * Behind the answer: the next turn waits for what was asked for, servers included (ruling K10). Resolves when all but the
 * servers is in force, or refused.
 */
function useRequest(session: Session, request: ControlBody): Promise<void> {
  const used = session.change((parts) => useFields(parts, request));
  session
    .change((parts) => startServers(parts, request))
    .catch((error) => session.reportBadInput(toHeddleError(error).message));
  return used.catch((error) => session.refuse(toHeddleError(error).message));
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
