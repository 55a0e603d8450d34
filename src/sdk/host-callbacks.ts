import { kindOf } from '../util/checks.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { CallPreview } from '../wire/control/index.ts';
import { ControlError } from '../wire/errors.ts';
import type { HookInput } from '../wire/hooks/hooks.ts';
import type { ControlBody, RequestContext, RequestHandler } from '../wire/link/peer.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import { type NamedHook, nameHooks } from './named-hooks.ts';
import { instancesOf, type McpServers } from './options/mcp-servers.ts';
import type { CanUseTool } from './options/option-types.ts';
import type { GivenOptions } from './options/options.ts';
import { programTools } from './options/tools-of-program.ts';
import { callbackFailed, callbackOdd, type ReportToHost } from './report-to-host.ts';
import { storeAnswers } from './stored/store-answers.ts';
import { openProgramTools, type ProgramTools } from './tools/program-tools.ts';
import { type CallAgent, SdkServers } from './tools/sdk-servers.ts';

type Answer = (request: ControlBody, context: RequestContext) => Promise<unknown>;

/** The functions by which one connection answers for its host. */
export interface HostCallbacks {
  /** Answers the agent's requests. A throw becomes an error response, which the agent takes as a denial. */
  answer: RequestHandler;
  /** The names of the callbacks, for `initialize`. */
  announced: JsonObject;
  /** The tools of this program; null where there are none. */
  tools: ProgramTools | null;
  /** Replaces the MCP servers of this program that earlier calls added. */
  addServers(servers: McpServers): Promise<void>;
  /** Disconnects the MCP servers of this program. */
  close(): Promise<void>;
}

export interface HostDependencies {
  /** Sends requests to the agent, for MCP servers that send messages by themselves. */
  callAgent: CallAgent;
  /** Reports errors in the program's own functions to the program. */
  report: ReportToHost;
}

export function hostCallbacks(options: GivenOptions, { callAgent, report }: HostDependencies): HostCallbacks {
  const hooks = nameHooks(options.hooks);
  const servers = new SdkServers(instancesOf(options.mcpServers), { callAgent, report });
  const own = programTools(options.tools);
  const tools = own.length > 0 ? openProgramTools(own, report) : null;
  /** Calls a function of the program. A throw is reported to the program, and to the agent as an error response. */
  const call = async <T>(
    who: string,
    effect: string,
    { signal }: RequestContext,
    run: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      // The agent withdrew the question, and the function may have stopped because of that.
      if (!signal.aborted) report(callbackFailed(who, effect, error));
      throw new ControlError(messageOf(error), 'callback_failed', { cause: error });
    }
  };
  const answers: Record<string, Answer> = {
    async can_use_tool(request, context) {
      if (!options.canUseTool) throw new ControlError('This host has no canUseTool callback');
      const effect = `The call of ${stringField(request, 'tool_name')} was denied.`;
      const answer = await call('canUseTool', effect, context, () => askCanUseTool(options, request, context));
      const problem = permissionProblem(answer);
      if (problem !== null) report(callbackOdd('canUseTool', problem, effect));
      return answer;
    },
    elicitation: (request, context) =>
      call('onElicitation', 'The MCP server was declined.', context, () => askElicitation(options, request, context)),
    request_user_dialog: (request, context) =>
      call('onUserDialog', 'The dialog was cancelled.', context, () => askUserDialog(options, request, context)),
    mcp_message: (request, context) => servers.answer(request, context),
    async hook_callback(request, context) {
      const hook = hooks.callbacks.get(stringField(request, 'callback_id') ?? '');
      if (!hook) throw new ControlError(`There is no hook callback '${request.callback_id}'`);
      const who = `The ${hook.event} hook`;
      const toolUseId = stringField(request, 'tool_use_id');
      const answer = await call(who, effectOf(hook), context, async () =>
        hook.callback(request.input as HookInput, toolUseId, { signal: context.signal }),
      );
      if (answer === undefined || answer === null || isObject(answer)) return answer;
      const problem = `returned ${kindOf(answer)}; expected an object, {} for no answer`;
      report(callbackOdd(who, problem, effectOf(hook)));
      throw new ControlError(problem, 'callback_failed');
    },
    ...(tools && { call_tool: (request: ControlBody, context: RequestContext) => tools.call(request, context) }),
    ...(options.sessionStore && reportedWhenBroken(storeAnswers(options.sessionStore, options), report)),
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

/** The agent ends its turn with the error text of a failing store; the program gets the report of where it failed. */
function reportedWhenBroken(answers: ReturnType<typeof storeAnswers>, report: ReportToHost): Record<string, Answer> {
  const answersByName = Object.entries(answers).map(([subtype, answer]): [string, Answer] => [
    subtype,
    (request) =>
      answer(request).catch((error) => {
        const who = `sessionStore.${subtype.replace('store_', '')}()`;
        if (!(error instanceof ControlError))
          report(callbackFailed(who, 'The session cannot go on without it.', error));
        throw error;
      }),
  ]);
  return Object.fromEntries(answersByName);
}

/** What happens to the judged event when a hook fails. */
function effectOf({ event, onFailure }: NamedHook): string {
  const isGuard = event === 'PreToolUse';
  const blocks = onFailure === undefined ? isGuard : onFailure === 'block';
  if (!blocks) return 'It was passed over.';
  if (onFailure !== undefined) return "It counts as an objection, as onFailure: 'block' says.";
  return "The call was denied; onFailure: 'continue' would let it run.";
}

/** Why a permission answer is invalid; null when it is valid. A null answer means that the host answers another way. */
function permissionProblem(answer: unknown): string | null {
  const expected = "expected { behavior: 'allow' } or { behavior: 'deny', message: '…' }";
  if (answer === null) return null;
  if (!isObject(answer)) return `returned ${kindOf(answer)}; ${expected}`;
  const { behavior, message, updatedInput } = answer;
  if (behavior !== 'allow' && behavior !== 'deny') {
    return `returned the behavior ${JSON.stringify(behavior) ?? 'undefined'}; ${expected}`;
  }
  if (behavior === 'deny' && typeof message !== 'string') return `returned a denial without a message; ${expected}`;
  if (updatedInput === undefined || isObject(updatedInput)) return null;
  return `returned ${kindOf(updatedInput)} as updatedInput; ${expected}`;
}

async function askCanUseTool(options: GivenOptions, request: ControlBody, context: RequestContext): Promise<unknown> {
  const input = isObject(request.input) ? request.input : {};
  const suggestions = request.permission_suggestions;
  const toolUseID = stringField(request, 'tool_use_id') ?? '';
  const answer = await options.canUseTool?.(stringField(request, 'tool_name') ?? '', input, {
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
  return isObject(answer) ? { ...answer, toolUseID } : answer; // as in the reference, it names its call
}

/** Hints for a dialog, where the agent sends them. */
function dialogHints(request: ControlBody): Pick<PermissionQuestion, Hint> {
  const { default_to_no, suppress_always_allow_rule, matched_ask_rule: rule, mcp_server: server, preview } = request;
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
    ...(isObject(preview) && { preview: preview as CallPreview }),
  };
}

type PermissionQuestion = Parameters<CanUseTool>[2];
type Hint = 'defaultToNo' | 'suppressAlwaysAllowRule' | 'matchedAskRule' | 'mcpServer' | 'preview';

/** Without a callback the question is declined, not failed, so that the server continues without an answer. */
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

/**
 * Without a callback the request stays open: another client may show the dialog, and the agent does not wait for ever.
 */
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

/** The texts of a request under Heddle's names, without the absent ones. */
function texts<Name extends string>(request: JsonObject, fields: Record<Name, string>): { [Key in Name]?: string } {
  const found = Object.entries<string>(fields).flatMap(([name, field]) => {
    const text = stringField(request, field);
    return text === undefined ? [] : [[name, text]];
  });
  return Object.fromEntries(found);
}
