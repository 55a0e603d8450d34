import {
  HOOK_EVENTS,
  type HookCallback,
  type HookCallbackMatcher,
  type HookEvent,
  type HookInput,
  type HookJSONOutput,
  type Options,
  type PostToolUseHookInput,
  type PreToolUseHookInput,
  query,
} from '@anthropic-ai/claude-agent-sdk';

const guard: HookCallback = async (input, toolUseID, { signal }) => {
  if (input.hook_event_name !== 'PreToolUse' || signal.aborted) return {};
  const { command } = input.tool_input as { command?: string };
  if (!command?.includes('rm -rf')) return { continue: true };
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: `Not in this project (${toolUseID})`,
    },
  };
};

const log: HookCallback = async (input): Promise<HookJSONOutput> => {
  const { tool_name, tool_response } = input as PostToolUseHookInput;
  console.log(input.session_id, input.transcript_path, input.cwd, tool_name, tool_response);
  return { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'Noted.' } };
};

const later: HookCallback = async () => ({ async: true, asyncTimeout: 5 });
const stop: HookCallback = async () => ({ decision: 'block', reason: 'The tests have not run yet' });
const greet: HookCallback = async () => ({
  hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'The person is in a hurry.' },
});

const matchers: Partial<Record<HookEvent, HookCallbackMatcher[]>> = {
  PreToolUse: [{ matcher: 'Bash', hooks: [guard], timeout: 10 }],
  PostToolUse: [{ hooks: [log, later] }],
  UserPromptSubmit: [{ hooks: [greet] }],
  Stop: [{ hooks: [stop] }],
};

export function describe(input: HookInput): string {
  switch (input.hook_event_name) {
    case 'PreToolUse':
      return toolOf(input);
    case 'UserPromptSubmit':
      return input.prompt;
    case 'SessionStart':
      return input.source;
    case 'SessionEnd':
      return input.reason;
    case 'PreCompact':
      return `${input.trigger} ${input.custom_instructions ?? ''}`;
    case 'Notification':
      return `${input.title ?? ''} ${input.message}`;
    default:
      return input.hook_event_name;
  }
}

function toolOf({ tool_name, tool_use_id }: PreToolUseHookInput): string {
  return `${tool_name} ${tool_use_id}`;
}

export function run(prompt: string): ReturnType<typeof query> {
  const known: readonly string[] = HOOK_EVENTS;
  const options: Options = { hooks: matchers };
  console.log(Object.keys(matchers).every((event) => known.includes(event)));
  return query({ prompt, options });
}
