import {
  type CanUseTool,
  type Options,
  type PermissionMode,
  type PermissionResult,
  type PermissionUpdate,
  query,
} from '@anthropic-ai/claude-agent-sdk';

/** What a dialog offers: once, always, never. */
type Choice = 'once' | 'always' | 'never' | 'stop';

const canUseTool: CanUseTool = async (
  toolName,
  input,
  { signal, suggestions, toolUseID, blockedPath, decisionReason },
) => {
  const choice = await askThePerson(
    `${toolName} ${JSON.stringify(input)} ${blockedPath ?? ''} ${decisionReason ?? ''}`,
    signal,
  );
  return decide(choice, input, suggestions, toolUseID);
};

function decide(
  choice: Choice,
  input: Record<string, unknown>,
  suggestions: PermissionUpdate[] | undefined,
  toolUseID: string,
): PermissionResult {
  switch (choice) {
    case 'once':
      return { behavior: 'allow', updatedInput: input };
    case 'always':
      return { behavior: 'allow', updatedInput: input, updatedPermissions: suggestions ?? [rule('Bash', 'git:*')] };
    case 'never':
      return { behavior: 'deny', message: 'The person said no.', toolUseID };
    case 'stop':
      return { behavior: 'deny', message: 'The person stopped it.', interrupt: true };
  }
}

function rule(toolName: string, ruleContent: string): PermissionUpdate {
  return { type: 'addRules', rules: [{ toolName, ruleContent }], behavior: 'allow', destination: 'localSettings' };
}

async function askThePerson(_question: string, signal: AbortSignal): Promise<Choice> {
  return signal.aborted ? 'stop' : 'once';
}

const modes: PermissionMode[] = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk'];

export async function run(prompt: string, permissionMode: PermissionMode = 'default'): Promise<string[]> {
  const options: Options = {
    canUseTool,
    permissionMode: modes.includes(permissionMode) ? permissionMode : 'default',
    allowedTools: ['Read', 'Bash(git status:*)'],
    disallowedTools: ['WebFetch'],
    additionalDirectories: ['/srv/shared'],
  };
  const denied: string[] = [];
  for await (const message of query({ prompt, options })) {
    if (message.type !== 'result') continue;
    for (const { tool_name, tool_use_id, tool_input } of message.permission_denials) {
      denied.push(`${tool_name} ${tool_use_id} ${Object.keys(tool_input).join()}`);
    }
  }
  return denied;
}
