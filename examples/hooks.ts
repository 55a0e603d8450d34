// Hooks watch what an agent does, and have a say in it: functions of your program, and commands in settings.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HookCallback, query, successOf } from 'heddle';

/** Before a command runs: one kind of command never does, and another one is changed. */
const guard: HookCallback = async (input) => {
  const { command = '' } = (input as { tool_input?: { command?: string } }).tool_input ?? {};
  if (command.startsWith('rm ')) {
    const permissionDecisionReason = 'Nothing is removed here.';
    return {
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason },
    };
  }
  const updatedInput = { command: `nice ${command}` };
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput } };
};

/** After it ran: only looks. */
const log: HookCallback = async (input) => {
  const { tool_name, tool_input } = input as { tool_name?: string; tool_input?: { command?: string } };
  console.log(`ran: ${tool_name} ${tool_input?.command}`);
  return {};
};

const cwd = await mkdtemp(join(tmpdir(), 'heddle-example-'));
/** The same in settings: what a command prints when a prompt comes is told to the model. */
const settings = {
  hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'cat > prompt.json; date' }] }] },
};
try {
  for await (const message of query({
    prompt: 'run: echo hello then run: rm -rf build',
    options: {
      cwd,
      model: 'offline',
      persistSession: false,
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [guard] }], PostToolUse: [{ hooks: [log] }] },
      settings: JSON.stringify(settings),
    },
  })) {
    if (message.type !== 'result') continue;
    for (const denial of successOf(message).permission_denials) console.log(`denied: ${denial.tool_input.command}`);
  }
  const { hook_event_name, prompt } = JSON.parse(await readFile(join(cwd, 'prompt.json'), 'utf8'));
  console.log(`${hook_event_name}: ${prompt}`);
} finally {
  await rm(cwd, { recursive: true });
}
