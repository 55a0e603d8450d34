import { Aborted } from '../../util/abort.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { ControlError, toHeddleError } from '../../wire/errors.ts';
import type { ControlBody, RequestContext, RequestHandler } from '../../wire/link/peer.ts';
import { PERMISSION_MODE_CHOICES, toPermissionMode } from '../../wire/permission-modes.ts';
import { stopAgents } from '../background/task-triggers.ts';
import type { Permissions } from '../permissions/thread-permissions.ts';
import type { Session } from '../session/session.ts';
import { changeModel } from '../thread/switch-model.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';
import { initializeAgain, startServers, useDialect, useFields } from './initialize.ts';
import { initializeAnswer } from './initialize-answer.ts';

/**
 * Answers the host's control requests for one session. Every request gets exactly one answer; an unknown subtype gets
 * an error. Requests take effect in the order of their lines, also before the first user message and during a turn.
 * This file answers the requests that act at once; `control-table.ts` has all others.
 */
export function controlHandler(session: Session): RequestHandler {
  const { main } = session;
  const { services } = main;
  const control: ControlContext = { session, main, services, files: { index: null }, stored: { tree: null } };
  const handlers: Record<string, RequestHandler> = {
    initialize: initializer(control),
    interrupt({ cancel_queued }, context) {
      // The host sees the withdrawn questions first, then the answer, then the lines of the interrupted turn.
      services.link.withdrawQuestions();
      context.afterResponse(() => {
        session.interrupt(new Aborted('interrupt'));
        if (!services.preferences.interruptSparesTasks) stopAgents(services.background.tasks);
      });
      if (cancel_queued !== true) return { still_queued: session.queuedUuids() };
      return session.withdraw().then((cancelled) => ({ still_queued: [], cancelled }));
    },
    end_input() {
      session.endInput();
      return {};
    },
    async continue_turn() {
      await session.change(async () => {
        try {
          session.continueTurn();
        } catch (error) {
          throw new ControlError(toHeddleError(error).message, 'nothing_to_continue', { cause: error });
        }
      });
      return {};
    },
    async cancel_async_message(request) {
      const uuid = stringField(request, 'message_uuid');
      if (uuid === undefined) throw invalidRequest('message_uuid', 'a string');
      return { cancelled: (await session.withdraw(uuid)).length > 0 };
    },
    async set_model({ model }) {
      if (model !== undefined && model !== null && typeof model !== 'string') throw invalidRequest('model', 'a string');
      return { model: await session.change(() => changeModel(main, model ?? undefined, 'sdk')) };
    },
    set_permission_mode: (request) => ({ mode: setPermissionMode(main.permissions, request) }),
    // At once, because a host often sends this request right after its prompt.
    set_partial_messages({ enabled }) {
      if (typeof enabled !== 'boolean') throw invalidRequest('enabled', 'true or false');
      services.preferences.partials = enabled;
    },
  };
  return (request, context) => {
    const handler = Object.hasOwn(handlers, request.subtype) ? handlers[request.subtype] : undefined;
    return handler ? handler(request, context) : answerLater(control, request, context);
  };
}

/** Answers a request after the requests before it. A request that was withdrawn by then does not begin. */
async function answerLater(
  control: ControlContext,
  request: ControlBody,
  { signal }: RequestContext,
): Promise<unknown> {
  const { session } = control;
  const wasBusy = session.isBusy;
  const begun = await session.change(async () => {
    const { findRequest } = await import('./control-table.ts');
    const { answer, betweenTurns, isLong } = findRequest(request.subtype);
    if (wasBusy && betweenTurns !== undefined) {
      throw new ControlError(`${betweenTurns} while a turn is running: interrupt it or wait`, 'turn_running');
    }
    signal.throwIfAborted();
    const body = answer(control, request, signal);
    return { body: isLong ? body : await body }; // nothing awaits a promise inside of an object
  });
  return begun.body;
}

/** Answers `initialize`. Only the first one that succeeds changes something; later ones report the current state. */
function initializer(control: ControlContext): RequestHandler {
  const { session, main, services } = control;
  let first: ControlBody | null = null;
  /** An invalid schema leaves the session uninitialized, so that the host can try again. */
  async function applySchema(schema: unknown, beside: JsonObject): Promise<void> {
    try {
      if (!isObject(schema)) throw invalidRequest('jsonSchema', 'an object');
      await session.change(() => main.toolbox.setOutputSchema(schema));
    } catch (error) {
      first = null;
      const { message } = toHeddleError(error);
      session.refuse(`The initialize request was refused: ${message}`);
      const code = error instanceof ControlError ? error.errorCode : undefined;
      throw new ControlError(message, code, { beside, cause: error });
    }
  }
  return async (request, context) => {
    // A host that has restarted learns which questions still wait for its answer.
    const beside = { pending_permission_requests: services.link.pending('can_use_tool') };
    context.beside({ ...beside, pending_user_dialog_requests: [] });
    if (first) return initializeAgain(control, { first, request }, context);
    first = request;
    session.refuse(null);
    useDialect(services.preferences, request);
    const used = useRequest(control, request);
    // The answer lists the agents.
    if (isObject(request.agents)) await used;
    if (request.jsonSchema !== undefined) await applySchema(request.jsonSchema, beside);
    return { ...initializeAnswer(control, request), ...firstTime(request) };
  };
}

/** What happened to the hooks and the manifests of the first request. */
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
 * Applies the request without delaying its answer: the next turn waits for it, servers included. Resolves when everything
 * but the servers is applied or refused.
 */
function useRequest({ session, main }: ControlContext, request: ControlBody): Promise<void> {
  const used = session.change(() => useFields(main, request));
  session
    .change(() => startServers(main, request))
    .catch((error) => session.reportBadInput(toHeddleError(error).message));
  return used.catch((error) => session.refuse(toHeddleError(error).message));
}

function setPermissionMode(permissions: Permissions, request: ControlBody): string {
  const name = stringField(request, 'mode') ?? '';
  const mode = toPermissionMode(name);
  if (!mode) {
    const choices = PERMISSION_MODE_CHOICES.join(', ');
    throw new ControlError(`Unknown permission mode '${name}': use one of ${choices}`, 'invalid_mode');
  }
  try {
    permissions.setMode(mode);
  } catch (error) {
    throw new ControlError(toHeddleError(error).message, 'bypass_not_launched', { cause: error });
  }
  return mode;
}
