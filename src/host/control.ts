import { Aborted } from '../util/abort.ts';
import { isObject, stringField } from '../util/json.ts';
import { ControlError, toHeddleError } from '../wire/errors.ts';
import { PERMISSION_MODE_CHOICES } from '../wire/flags.ts';
import type { ControlBody, RequestContext, RequestHandler } from '../wire/peer.ts';
import { toPermissionMode } from '../wire/permission-modes.ts';
import type { Parts } from './assemble.ts';
import type { Session } from './session.ts';

/**
 * Answers the host's control requests for one session. Every request gets exactly one answer; an unknown subtype gets
 * an error. Handlers take effect in the order of their lines, also before the first user message and during a turn.
 */
export function controlHandler(session: Session): RequestHandler {
  let initialized = false;
  /** A schema that is none leaves the session uninitialized, so that the host can try again. */
  async function applySchema(schema: unknown): Promise<void> {
    try {
      if (!isObject(schema)) throw invalid('jsonSchema', 'an object');
      await session.setSchema(schema);
    } catch (error) {
      initialized = false;
      session.refuse(`The initialize request was refused: ${toHeddleError(error).message}`);
      throw error;
    }
  }
  /** In the order of the lines, changes of other requests included; what answers these is loaded with the first. */
  function settingsRequest(name: keyof typeof import('./settings-control.ts'), request: ControlBody): Promise<unknown> {
    return session.change(async (parts) => (await import('./settings-control.ts'))[name](parts, request));
  }
  /** Begun in the order of the lines, but not waited for: what servers say meanwhile must get through. */
  async function mcpRequest(name: keyof typeof import('./mcp-control.ts'), request: ControlBody): Promise<unknown> {
    const { answer } = await session.change(async (parts) => {
      const control = await import('./mcp-control.ts');
      return { answer: control[name](parts, request) };
    });
    return answer;
  }
  /** Behind the answer to `initialize`: the next turn waits for the servers (ruling K10). */
  function startServers(request: ControlBody): void {
    const isNamingSome = Array.isArray(request.sdkMcpServers) && request.sdkMcpServers.length > 0;
    const start = async (parts: Parts) => (isNamingSome ? await parts.openMcp() : parts.mcp)?.start(request);
    session.change(start).catch((error) => session.reportBadInput(toHeddleError(error).message));
  }
  /** Not during a turn, which is about to add to the tree. */
  function branchRequest(
    name: keyof typeof import('./branch-control.ts'),
    request: ControlBody,
    { betweenTurns }: { betweenTurns: boolean },
  ): Promise<unknown> {
    const work = async (parts: Parts) => (await import('./branch-control.ts'))[name](parts, request);
    const done = betweenTurns ? session.betweenTurns(work) : session.change(work);
    if (done) return done;
    throw new ControlError(
      'The branch cannot be changed while a turn is running: interrupt it or wait',
      'turn_running',
    );
  }
  const handlers: Record<string, (request: ControlBody, context: RequestContext) => unknown> = {
    async initialize(request) {
      // A host that connects again learns what is still waiting for its answer.
      const beside = { pending_permission_requests: session.pendingPermissions() };
      if (initialized) throw new ControlError('Already initialized', undefined, { beside });
      // A host that counts on its hooks must not run without them: no hook, no protection.
      if (isObject(request.hooks) && Object.keys(request.hooks).length > 0) {
        session.refuse('The initialize request was refused: hooks are not supported in this version');
        throw new ControlError('Hooks are not supported in this version', 'unsupported_request');
      }
      initialized = true;
      session.refuse(null);
      session.configure({
        ...textOption('systemPrompt', request.systemPrompt),
        ...textOption('appendSystemPrompt', request.appendSystemPrompt),
      });
      startServers(request);
      if (request.jsonSchema !== undefined) await applySchema(request.jsonSchema);
      return session.describe();
    },
    interrupt(_request, context) {
      // First the questions that need no answer any more, then the answer, then the lines of the interrupted turn.
      session.withdrawQuestions();
      context.afterResponse(() => session.interrupt(new Aborted('interrupt')));
    },
    end_input() {
      session.endInput();
      return {};
    },
    async set_model({ model }) {
      if (model !== undefined && model !== null && typeof model !== 'string') throw invalid('model', 'a string');
      await session.setModel(model ?? undefined);
    },
    set_permission_mode(request) {
      const name = stringField(request, 'mode') ?? '';
      const mode = toPermissionMode(name);
      if (!mode) {
        throw new ControlError(
          `Unknown permission mode '${name}': use one of ${PERMISSION_MODE_CHOICES.join(', ')}`,
          'invalid_mode',
        );
      }
      try {
        session.setPermissionMode(mode);
      } catch (error) {
        throw new ControlError(toHeddleError(error).message, 'bypass_not_launched', { cause: error });
      }
      return { mode };
    },
    rewind_files(request) {
      const messageId = stringField(request, 'user_message_id');
      if (messageId === undefined) throw invalid('user_message_id', 'a string');
      return rewindFiles(session, messageId, { dryRun: request.dry_run === true });
    },
    session_tree: (request) => branchRequest('sessionTree', request, { betweenTurns: false }),
    branches: (request) => branchRequest('branches', request, { betweenTurns: false }),
    switch_leaf: (request) => branchRequest('switchLeaf', request, { betweenTurns: true }),
    fork_session: (request) => branchRequest('forkSession', request, { betweenTurns: false }),
    rename_session: (request) => branchRequest('renameSession', request, { betweenTurns: false }),
    mcp_status: (request) => mcpRequest('mcpStatus', request),
    mcp_message: (request) => mcpRequest('mcpMessage', request),
    mcp_reconnect: (request) => mcpRequest('mcpReconnect', request),
    mcp_toggle: (request) => mcpRequest('mcpToggle', request),
    mcp_set_servers: (request) => mcpRequest('mcpSetServers', request),
    explain_permission: (request) => settingsRequest('explainPermission', request),
    get_settings: (request) => settingsRequest('getSettings', request),
    apply_flag_settings: (request) => settingsRequest('applyFlagSettings', request),
    update_settings: (request) => settingsRequest('updateSettings', request),
    set_max_thinking_tokens(request) {
      const tokens = request.max_thinking_tokens ?? null;
      if (tokens !== null && !(Number.isInteger(tokens) && (tokens as number) >= 0)) {
        throw invalid('max_thinking_tokens', 'a whole number, 0 or above, or null');
      }
      session.configure({ maxThinkingTokens: typeof tokens === 'number' && tokens > 0 ? tokens : null });
    },
  };
  return (request, context) => {
    const handler = Object.hasOwn(handlers, request.subtype) ? handlers[request.subtype] : undefined;
    if (handler) return handler(request, context);
    throw new ControlError(`Unsupported control request subtype: ${request.subtype}`, 'unsupported_request');
  };
}

/** Not during a turn: it may be about to change the very files. */
function rewindFiles(session: Session, messageId: string, options: { dryRun: boolean }): Promise<unknown> {
  const done = session.betweenTurns(async ({ checkpoints }) => {
    if (checkpoints) return checkpoints.rewind(messageId, options);
    const how = 'enableFileCheckpointing, or CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true';
    throw new ControlError(`Files cannot be rewound: the session was started without ${how}`, 'not_enabled');
  });
  if (done) return done;
  throw new ControlError('Files cannot be rewound while a turn is running: interrupt it or wait', 'turn_running');
}

function invalid(field: string, expected: string): ControlError {
  return new ControlError(`request.${field} must be ${expected}`, 'invalid_request');
}

/** A prompt comes as a string, or as an array of blocks from newer SDKs. */
function textOption(key: 'systemPrompt' | 'appendSystemPrompt', value: unknown) {
  if (typeof value === 'string') return { [key]: value };
  if (Array.isArray(value))
    return { [key]: value.map((part) => (isObject(part) ? stringField(part, 'text') : part)).join('\n') };
  return {};
}
