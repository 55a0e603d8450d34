import type { ToolOutput } from '../../tools/tool.ts';
import { isObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { ShellCommandResult } from '../../wire/control/index.ts';
import { ControlError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { type HostCallResult, runForHost } from '../thread/call-for-host.ts';
import type { MainThread } from '../thread/thread.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';

/**
 * `shell_command`: runs a command of the person at the host. It needs no approval, but deny rules, hooks and the sandbox
 * hold as for a call of the model. Command and output become messages: the model reads them with the next prompt, or at
 * once with `should_query`. A host that withdraws the request ends the command; its output so far is recorded.
 */
export async function shellCommand(
  { main, session, services }: ControlContext,
  request: ControlBody,
  signal: AbortSignal,
): Promise<ShellCommandResult> {
  const command = stringField(request, 'command')?.trim() ?? '';
  const shouldQuery = request.should_query ?? false;
  if (command === '') throw invalidRequest('command', 'a command line');
  if (typeof shouldQuery !== 'boolean') throw invalidRequest('should_query', 'true or false');
  const { stdout, stderr, isError } = await run(main, command, signal);
  const say = (content: string, isQuery: boolean) => {
    const uuid = services.runtime.ids.uuid();
    session.submit({ type: 'user', uuid, message: { role: 'user', content }, ...(!isQuery && { shouldQuery: false }) });
  };
  say(`<bash-input>${command}</bash-input>`, false);
  say(`<bash-stdout>${stdout}</bash-stdout><bash-stderr>${stderr}</bash-stderr>`, shouldQuery);
  return { stdout, stderr, is_error: isError };
}

interface Ran {
  stdout: string;
  stderr: string;
  isError: boolean;
}

async function run(main: MainThread, command: string, signal: AbortSignal): Promise<Ran> {
  const bash = main.toolbox.registry.get('Bash');
  if (!bash) throw new ControlError('This session has no Bash: a rule or a flag takes it away', 'permission_denied');
  let found: ToolOutput | null = null;
  const tool = {
    ...bash,
    async run(input: Parameters<typeof bash.run>[0], context: Parameters<typeof bash.run>[1]) {
      found = await bash.run(input, context);
      return found;
    },
  };
  try {
    const result = await runForHost(main, { tool, input: { command } }, signal);
    const { data } = (found ?? {}) as Partial<ToolOutput>;
    const hasStreams = isObject(data) && !result.isRewritten && !result.isError && data.isImage !== true;
    if (!hasStreams) return { ...asOneStream(result), isError: result.isError };
    const { stdout = '', stderr = '' } = main.services.hideCredentials(data) as Partial<Ran>;
    return { stdout, stderr, isError: false };
  } catch (error) {
    if (!signal.aborted) throw error;
    return { stdout: '', stderr: messageOf(error), isError: true };
  }
}

/** What a failed command has said, or what a hook has made of it. */
function asOneStream({ content, isError }: HostCallResult): Pick<Ran, 'stdout' | 'stderr'> {
  const blocks = typeof content === 'string' ? [content] : content.map((block) => stringField(block, 'text') ?? '');
  const text = blocks.join('\n').replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, '$1');
  return isError ? { stdout: '', stderr: text } : { stdout: text, stderr: '' };
}
