import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { ControlError } from '../wire/errors.ts';
import type { HookInput } from '../wire/hooks.ts';
import type { ControlBody, RequestContext, RequestHandler } from '../wire/peer.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import { instancesOf, type McpServers } from './mcp-servers.ts';
import { nameHooks } from './named-hooks.ts';
import type { CanUseTool } from './option-types.ts';
import type { GivenOptions } from './options.ts';
import { openProgramTools, type ProgramTools, programTools } from './program-tools.ts';
import { type CallAgent, SdkServers } from './sdk-servers.ts';
import { storeAnswers } from './store-answers.ts';

type Answer = (request: ControlBody, context: RequestContext) => Promise<unknown>;

/** What one connection answers for its host. */
export interface HostCallbacks {
  /** Answers what the agent asks. A throw becomes an error response, which the agent takes as a denial. */
  answer: RequestHandler;
  /** What `initialize` tells of the callbacks, by name. */
  announced: JsonObject;
  /** The tools of this program; null where there are none. */
  tools: ProgramTools | null;
  /** Has the MCP servers among these that live here, in place of those that were added before. */
  addServers(servers: McpServers): Promise<void>;
  /** Lets go of the MCP servers that live here. */
  close(): Promise<void>;
}

/** `callAgent` is the way back, for MCP servers that have something to say themselves. */
export function hostCallbacks(options: GivenOptions, callAgent: CallAgent): HostCallbacks {
  const hooks = nameHooks(options.hooks);
  const servers = new SdkServers(instancesOf(options.mcpServers), callAgent);
  const own = programTools(options.tools);
  const tools = own.length > 0 ? openProgramTools(own) : null;
  const answers: Record<string, Answer> = {
    can_use_tool: (request, context) => askCanUseTool(options, request, context),
    elicitation: (request, context) => askElicitation(options, request, context),
    request_user_dialog: (request, context) => askUserDialog(options, request, context),
    mcp_message: (request, context) => servers.answer(request, context),
    async hook_callback(request, { signal }) {
      const callback = hooks.callbacks.get(stringField(request, 'callback_id') ?? '');
      if (!callback) throw new ControlError(`There is no hook callback '${request.callback_id}'`);
      return callback(request.input as HookInput, stringField(request, 'tool_use_id'), { signal });
    },
    ...(tools && { call_tool: (request: ControlBody, context: RequestContext) => tools.call(request, context) }),
    ...(options.sessionStore && storeAnswers(options.sessionStore, options)),
  };
  return {
    tools,
    announced: { ...(hooks.announced && { hooks: hooks.announced }) },
    answer(request, context) {
      const answer = Object.hasOwn(answers, request.subtype) ? answers[request.subtype] : undefined;
      if (answer) return answer(request, context);
      throw new ControlError(`Unsupported control request subtype: ${request.subtype}`, 'unsupported_request');
    },
    addServers: (added) => servers.add(instancesOf(added)),
    close: () => servers.close(),
  };
}

async function askCanUseTool(options: GivenOptions, request: ControlBody, context: RequestContext): Promise<unknown> {
  if (!options.canUseTool) throw new ControlError('This host has no canUseTool callback');
  const input = isObject(request.input) ? request.input : {};
  const suggestions = request.permission_suggestions;
  const toolUseID = stringField(request, 'tool_use_id') ?? '';
  const answer = await options.canUseTool(stringField(request, 'tool_name') ?? '', input, {
    signal: context.signal,
    requestId: context.requestId,
    toolUseID,
    ...(Array.isArray(suggestions) && { suggestions: suggestions as PermissionUpdate[] }),
    ...texts(request, {
      blockedPath: 'blocked_path',
      decisionReason: 'decision_reason',
      agentID: 'agent_id',
      title: 'title',
      displayName: 'display_name',
      description: 'description',
    }),
    ...dialogHints(request),
  });
  if (answer === null) context.leaveOpen();
  return isObject(answer) ? { ...answer, toolUseID } : answer; // as in the reference, it says which call it is for
}

/** What a dialog should heed, where the agent says it. */
function dialogHints(request: ControlBody): Pick<PermissionQuestion, Hint> {
  const { default_to_no, suppress_always_allow_rule, matched_ask_rule: rule, mcp_server: server } = request;
  return {
    ...(default_to_no === true && { defaultToNo: true }),
    ...(suppress_always_allow_rule === true && { suppressAlwaysAllowRule: true }),
    ...(isObject(rule) && {
      matchedAskRule: {
        source: stringField(rule, 'source') ?? '',
        toolName: stringField(rule, 'tool_name') ?? '',
        ...texts(rule, { ruleContent: 'rule_content' }),
      },
    }),
    ...(isObject(server) && {
      mcpServer: { name: stringField(server, 'name') ?? '', source: stringField(server, 'source') ?? '' },
    }),
  };
}

type PermissionQuestion = Parameters<CanUseTool>[2];
type Hint = 'defaultToNo' | 'suppressAlwaysAllowRule' | 'matchedAskRule' | 'mcpServer';

/** Nobody to ask is a refusal, not an error: the server shall go on without an answer. */
async function askElicitation(options: GivenOptions, request: ControlBody, context: RequestContext): Promise<unknown> {
  if (!options.onElicitation) return { action: 'decline' };
  const schema = request.requested_schema;
  const answer = await options.onElicitation(
    {
      serverName: stringField(request, 'mcp_server_name') ?? '',
      message: stringField(request, 'message') ?? '',
      ...(request.mode === 'form' || request.mode === 'url' ? { mode: request.mode } : {}),
      ...texts(request, {
        url: 'url',
        elicitationId: 'elicitation_id',
        title: 'title',
        displayName: 'display_name',
        description: 'description',
      }),
      ...(isObject(schema) && { requestedSchema: schema }),
    },
    { signal: context.signal, requestId: context.requestId },
  );
  if (answer === null) context.leaveOpen();
  return answer;
}

/** Without a callback it stays open: somebody else may be there to show it, and the agent does not wait for ever. */
async function askUserDialog(options: GivenOptions, request: ControlBody, context: RequestContext): Promise<unknown> {
  const { payload } = request;
  const answer =
    (await options.onUserDialog?.(
      {
        dialogKind: stringField(request, 'dialog_kind') ?? '',
        payload: isObject(payload) ? payload : {},
        ...texts(request, { toolUseID: 'tool_use_id' }),
      },
      { signal: context.signal, requestId: context.requestId },
    )) ?? null;
  if (answer === null) context.leaveOpen();
  return answer;
}

/** The texts of a request under our names; those that it does not have stay away. */
function texts<Name extends string>(request: JsonObject, fields: Record<Name, string>): { [Key in Name]?: string } {
  const found = Object.entries<string>(fields).flatMap(([name, field]) => {
    const text = stringField(request, field);
    return text === undefined ? [] : [[name, text]];
  });
  return Object.fromEntries(found);
}
