import {
  type BaseHookInput,
  type ConfigChangeHookInput,
  type CwdChangedHookInput,
  type ElicitationHookSpecificOutput,
  type FileChangedHookInput,
  type HookCallback,
  type HookEvent,
  type HookInput,
  type HookJSONOutput,
  type HookPermissionDecision,
  type InstructionsLoadedHookInput,
  type McpServerProvenance,
  type PostToolBatchHookInput,
  type PostToolBatchToolCall,
  type PreToolUseHookSpecificOutput,
  query,
  type SessionStartHookSpecificOutput,
  type StopFailureHookInput,
  type StopHookInput,
  type SubagentStopHookInput,
  type SyncHookJSONOutput,
  type UserPromptExpansionHookInput,
  type UserPromptSubmitHookSpecificOutput,
  type WorktreeCreateHookSpecificOutput,
} from '@anthropic-ai/claude-agent-sdk';

const decide = (permissionDecision: HookPermissionDecision, reason: string): PreToolUseHookSpecificOutput => ({
  hookEventName: 'PreToolUse',
  permissionDecision,
  permissionDecisionReason: reason,
});

/** A server of this program may do what it likes, others are asked about. */
function byServer(server: McpServerProvenance | undefined): HookPermissionDecision {
  return server?.source === 'sdk' ? 'allow' : 'ask';
}

const guard: HookCallback = async (input, toolUseID, { signal }) => {
  if (signal.aborted || input.hook_event_name !== 'PreToolUse') return {};
  if (input.tool_name.startsWith('mcp__')) {
    return { hookSpecificOutput: decide(byServer(input.mcp_server), `${toolUseID}`) };
  }
  return { hookSpecificOutput: decide('defer', 'somebody else decides') };
};

const begin: HookCallback = async () => {
  const hookSpecificOutput: SessionStartHookSpecificOutput = {
    hookEventName: 'SessionStart',
    additionalContext: 'It is late.',
    initialUserMessage: 'Have a look around first.',
    sessionTitle: 'Night shift',
    watchPaths: ['/srv/app/.env'],
    reloadSkills: true,
  };
  return { hookSpecificOutput, terminalSequence: '\u0007' };
};

const prompt: HookCallback = async (input): Promise<HookJSONOutput> => {
  if (input.hook_event_name !== 'UserPromptSubmit') return {};
  const hookSpecificOutput: UserPromptSubmitHookSpecificOutput = {
    hookEventName: 'UserPromptSubmit',
    sessionTitle: input.session_title ?? input.prompt.slice(0, 40),
    suppressOriginalPrompt: input.source === 'sdk',
  };
  const answer: SyncHookJSONOutput = { hookSpecificOutput };
  return answer;
};

const form: HookCallback = async () => {
  const hookSpecificOutput: ElicitationHookSpecificOutput = {
    hookEventName: 'Elicitation',
    action: 'accept',
    content: { name: 'heddle' },
  };
  return { hookSpecificOutput };
};

const tree: HookCallback = async () => {
  const hookSpecificOutput: WorktreeCreateHookSpecificOutput = {
    hookEventName: 'WorktreeCreate',
    worktreePath: '/srv/trees/one',
  };
  return { hookSpecificOutput };
};

/** No event is left out: the last branch would not compile. */
export function describe(input: HookInput): string {
  switch (input.hook_event_name) {
    case 'PreToolUse':
    case 'PermissionRequest':
      return `${input.tool_name} ${input.mcp_server?.name ?? ''}`;
    case 'PostToolUse':
      return `${input.tool_use_id} ${input.duration_ms ?? 0}`;
    case 'PostToolUseFailure':
      return `${input.error} ${input.is_interrupt ?? false}`;
    case 'PostToolBatch':
      return batch(input);
    case 'PermissionDenied':
      return `${input.tool_use_id}: ${input.reason}`;
    case 'UserPromptSubmit':
      return input.prompt;
    case 'UserPromptExpansion':
      return expansion(input);
    case 'SessionStart':
      return `${input.source} ${input.model ?? ''} ${input.seconds_since_last_response ?? 0}`;
    case 'SessionEnd':
      return input.reason;
    case 'Stop':
      return stopped(input);
    case 'StopFailure':
      return failure(input);
    case 'SubagentStart':
      return `${input.agent_id} ${input.agent_type}`;
    case 'SubagentStop':
      return agent(input);
    case 'PreCompact':
      return input.trigger;
    case 'PostCompact':
      return input.compact_summary;
    case 'PreModelSwitch':
    case 'PostModelSwitch':
      return `${input.from_model} ${input.to_model} ${input.source}`;
    case 'Notification':
      return input.notification_type;
    case 'Setup':
      return input.trigger;
    case 'TeammateIdle':
      return `${input.team_name}/${input.teammate_name}`;
    case 'TaskCreated':
    case 'TaskCompleted':
      return `${input.task_id} ${input.task_subject} ${input.team_name ?? ''}`;
    case 'Elicitation':
      return `${input.mcp_server_name} ${input.mode ?? 'form'}`;
    case 'ElicitationResult':
      return input.action;
    case 'ConfigChange':
      return changed(input);
    case 'InstructionsLoaded':
      return loaded(input);
    case 'WorktreeCreate':
      return input.name;
    case 'WorktreeRemove':
      return input.worktree_path;
    case 'CwdChanged':
      return moved(input);
    case 'FileChanged':
      return touched(input);
    case 'DirectoryAdded':
      return `${input.directory} ${input.source}`;
    case 'MessageDisplay':
      return `${input.message_id} ${input.index} ${input.delta}`;
    default:
      return input satisfies never;
  }
}

function batch({ tool_calls }: PostToolBatchHookInput): string {
  return tool_calls
    .map(({ tool_name, tool_response }: PostToolBatchToolCall) => `${tool_name} ${tool_response}`)
    .join();
}
function expansion({ command_name, command_args, expansion_type }: UserPromptExpansionHookInput): string {
  return `/${command_name} ${command_args} (${expansion_type})`;
}
function stopped({ background_tasks = [], session_crons = [], last_assistant_message }: StopHookInput): string {
  const busy = background_tasks.map(({ id, type, command }) => `${id} ${type} ${command ?? ''}`);
  return [...busy, ...session_crons.map(({ schedule }) => schedule), last_assistant_message].join();
}
function failure({ error, error_details }: StopFailureHookInput): string {
  return error === 'rate_limit' ? 'later' : `${error} ${error_details ?? ''}`;
}
function agent({ agent_transcript_path, agent_type }: SubagentStopHookInput): string {
  return `${agent_type} ${agent_transcript_path}`;
}
function changed({ source, file_path }: ConfigChangeHookInput): string {
  return source === 'skills' ? 'skills' : (file_path ?? source);
}
function loaded({ file_path, load_reason, memory_type, globs }: InstructionsLoadedHookInput): string {
  return `${memory_type} ${file_path} ${load_reason} ${globs?.join() ?? ''}`;
}
function moved({ old_cwd, new_cwd }: CwdChangedHookInput): string {
  return `${old_cwd} ${new_cwd}`;
}
function touched({ file_path, event }: FileChangedHookInput): string {
  return `${event} ${file_path}`;
}
export function who({ agent_id, agent_type, effort, prompt_id }: BaseHookInput): string {
  return [agent_id, agent_type, effort?.level, prompt_id].join();
}

export function run(): ReturnType<typeof query> {
  const on = (hook: HookCallback) => [{ hooks: [hook], timeout: 5, onFailure: 'block' as const }];
  const events: HookEvent[] = ['PreToolUse', 'SessionStart'];
  console.log(events);
  return query({
    prompt: 'hello',
    options: {
      includeHookEvents: true,
      hooks: {
        PreToolUse: on(guard),
        SessionStart: on(begin),
        UserPromptSubmit: on(prompt),
        Elicitation: on(form),
        WorktreeCreate: on(tree),
      },
    },
  });
}
