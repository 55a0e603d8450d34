import type { UUID } from 'node:crypto';
import {
  query,
  type SDKAPIRetryMessage,
  type SDKAssistantMessage,
  type SDKAssistantMessageError,
  type SDKBackgroundTasksChangedMessage,
  type SDKMessage,
  type SDKMessageOrigin,
  type SDKPartialAssistantMessage,
  type SDKRateLimitInfo,
  type SDKResultMessage,
  type SDKSessionStateChangedMessage,
  type SDKTaskNotificationMessage,
  type SDKTaskStartedMessage,
  type SDKUserMessage,
  type TerminalReason,
} from '@anthropic-ai/claude-agent-sdk';

/** What a page shows of a run. */
interface View {
  last: UUID | undefined;
  tasks: Map<string, string>;
  isBusy: boolean;
  log: string[];
}

export async function show(prompts: AsyncIterable<SDKUserMessage>): Promise<View> {
  const view: View = { last: undefined, tasks: new Map(), isBusy: false, log: [] };
  for await (const message of query({ prompt: prompts, options: { includePartialMessages: true } })) {
    view.last = message.uuid ?? view.last;
    view.log.push(line(message, view));
  }
  return view;
}

/** No kind is left out: the last branches would not compile. */
function line(message: SDKMessage, view: View): string {
  switch (message.type) {
    case 'assistant':
      return said(message);
    case 'user':
      return typeof message.message.content === 'string' ? message.message.content : results(message);
    case 'stream_event':
      return delta(message);
    case 'result':
      return ended(message);
    case 'tool_progress':
      return `${message.tool_name} ${message.elapsed_time_seconds} ${message.subagent_retry?.attempt ?? ''}`;
    case 'tool_use_summary':
      return message.summary;
    case 'auth_status':
      return message.output.join();
    case 'prompt_suggestion':
      return message.suggestion;
    case 'rate_limit_event':
      return limit(message.rate_limit_info);
    case 'conversation_reset':
      return message.new_conversation_id;
    case 'system':
      return systemLine(message, view);
    default:
      return message satisfies never;
  }
}

function systemLine(message: Extract<SDKMessage, { type: 'system' }>, view: View): string {
  switch (message.subtype) {
    case 'init':
      return `${message.model} ${message.plugins.map(({ version }) => version).join()} ${message.effort ?? ''}`;
    case 'status':
      return message.status ?? '';
    case 'compact_boundary':
      return message.compact_metadata.preserved_segment?.head_uuid ?? message.compact_metadata.trigger;
    case 'hook_started':
    case 'hook_progress':
      return message.hook_name;
    case 'hook_response':
      return message.outcome;
    case 'task_started':
      return started(message, view);
    case 'task_progress':
      return `${message.description} ${message.usage.total_tokens} ${message.last_tool_name ?? ''}`;
    case 'task_updated':
      return message.patch.status ?? '';
    case 'task_notification':
      return over(message, view);
    case 'background_tasks_changed':
      return live(message);
    case 'session_state_changed':
      return state(message, view);
    case 'api_retry':
      return retry(message);
    case 'permission_denied':
      return `${message.tool_name}: ${message.decision_reason ?? message.message}`;
    case 'local_command_output':
    case 'informational':
      return message.content;
    case 'notification':
      return `${message.priority}: ${message.text}`;
    case 'commands_changed':
      return message.commands.map(({ name, argumentHint }) => `/${name} ${argumentHint}`).join('\n');
    case 'elicitation_complete':
      return `${message.mcp_server_name} ${message.elicitation_id}`;
    case 'mirror_error':
      return `${message.key.projectKey}/${message.key.sessionId}: ${message.error}`;
    case 'model_refusal_fallback':
      return `${message.original_model} → ${message.fallback_model} (${message.direction})`;
    case 'model_refusal_no_fallback':
      return message.api_refusal_explanation ?? message.content;
    case 'thinking_tokens':
      return String(message.estimated_tokens_delta);
    case 'files_persisted':
      return message.files.map(({ file_id }) => file_id).join();
    case 'session_writes_lost':
      return message.lost.join();
    case 'control_request_progress':
      return message.status;
    case 'plugin_install':
      return message.name ?? message.status;
    case 'worker_shutting_down':
      return message.reason;
    case 'memory_recall':
      return message.memories.map(({ path }) => path).join();
    default:
      return message satisfies never;
  }
}

function said({ message, error, parent_tool_use_id }: SDKAssistantMessage): string {
  if (error !== undefined) return trouble(error);
  const texts = message.content.map((block) => {
    switch (block.type) {
      case 'text':
        return `${block.text} ${block.citations?.length ?? 0}`;
      case 'thinking':
        return block.thinking;
      case 'tool_use':
      case 'server_tool_use':
      case 'mcp_tool_use':
        return `${block.name} ${JSON.stringify(block.input)}`;
      case 'web_search_tool_result':
        return Array.isArray(block.content) ? block.content.map(({ url }) => url).join() : block.content.error_code;
      default:
        return block.type;
    }
  });
  return `${parent_tool_use_id ?? 'main'} ${texts.join('\n')} ${message.usage.cache_read_input_tokens ?? 0}`;
}

function results({ message }: SDKUserMessage): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.map((block) => (block.type === 'tool_result' ? block.tool_use_id : block.type)).join();
}

function delta({ event }: SDKPartialAssistantMessage): string {
  if (event.type === 'message_start') return event.message.model;
  if (event.type === 'message_delta') return event.delta.stop_reason ?? String(event.usage.output_tokens);
  if (event.type === 'content_block_start') return event.content_block.type;
  if (event.type !== 'content_block_delta') return '';
  return event.delta.type === 'text_delta' ? event.delta.text : event.delta.type;
}

function ended(message: SDKResultMessage): string {
  const { usage, modelUsage, terminal_reason: reason, stop_reason, queued_turn_count } = message;
  const searches = usage.server_tool_use.web_search_requests + usage.cache_creation.ephemeral_1h_input_tokens;
  const costs = Object.entries(modelUsage).map(([model, { costUSD, costBasis }]) => `${model} ${costUSD} ${costBasis}`);
  const why: TerminalReason | undefined = reason;
  const text = message.subtype === 'success' ? message.result : message.errors.join('\n');
  const deferred = message.subtype === 'success' ? message.deferred_tool_use?.name : message.startup_failure_reason;
  return [text, searches, ...costs, why, stop_reason, queued_turn_count, deferred, by(message.origin)].join(' ');
}

function by(origin: SDKMessageOrigin | undefined): string {
  if (origin === undefined || origin.kind === 'human') return 'a person';
  return origin.kind === 'peer' ? origin.from : origin.kind;
}

function started({ task_id, description, subagent_type, is_backgrounded }: SDKTaskStartedMessage, view: View): string {
  view.tasks.set(task_id, description);
  return `${subagent_type ?? 'command'} ${is_backgrounded ? 'behind' : 'here'}`;
}

function over({ task_id, status, summary, output_file, usage }: SDKTaskNotificationMessage, view: View): string {
  view.tasks.delete(task_id);
  return `${status} ${summary} ${output_file} ${usage?.duration_ms ?? 0}`;
}

function live({ tasks }: SDKBackgroundTasksChangedMessage): string {
  return tasks.map(({ task_type, description }) => `${task_type} ${description}`).join();
}

function state({ state: now }: SDKSessionStateChangedMessage, view: View): string {
  view.isBusy = now === 'running';
  return now;
}

function retry({ attempt, max_retries, retry_delay_ms, error, error_status }: SDKAPIRetryMessage): string {
  return `${trouble(error)} ${error_status ?? 'no answer'} ${attempt}/${max_retries} in ${retry_delay_ms} ms`;
}

function trouble(error: SDKAssistantMessageError): string {
  return error === 'overloaded' || error === 'rate_limit' ? 'later' : error;
}

function limit({ status, resetsAt, rateLimitType }: SDKRateLimitInfo): string {
  return `${status} ${rateLimitType ?? ''} ${resetsAt === undefined ? '' : new Date(resetsAt * 1000).toISOString()}`;
}
