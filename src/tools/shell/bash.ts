import { boolean, number, objectInput, optional, string } from '../input-schema.ts';
import type { ShellSandbox } from '../shell-sandbox.ts';
import { refusal, type Tool } from '../tool.ts';
import { type BashInput, runToEnd, startInBackground } from './run-command.ts';
import { shellPort } from './shell-port.ts';

const fields = {
  command: string('The command line'),
  timeout: optional(number('Milliseconds', { minimum: 1 })),
  description: optional(string('In five to ten words')),
  run_in_background: optional(boolean('Do not wait')),
  dangerouslyDisableSandbox: optional(boolean('Run outside of the sandbox, where one is in force')),
};
const input = objectInput(fields);
const detachableInput = objectInput({
  ...fields,
  detach: optional(boolean('With run_in_background: the command outlives this session, and nothing limits its output')),
});

export interface BashOptions {
  /** True when a whole command line only reads, so that it may run concurrently with others. */
  isReadOnly: (command: string) => boolean;
  /** True when commands may outlive the session. Otherwise the model does not see the option. */
  canDetach?: boolean;
}

export function createBashTool({ isReadOnly, canDetach = false }: BashOptions): Tool<BashInput> {
  return {
    name: 'Bash',
    description: `Runs a command line with bash and returns its output.

- A change of directory holds for the next command; variables and functions do not. stdin is empty. Quote paths with spaces.
- It is ended after timeout milliseconds (default 120000, at most 600000). Of long output, the result names a file with the whole.
- run_in_background returns at once, names a file for the output, and has no time limit.
- For files prefer Read, Edit, Write, Glob and Grep to cat, sed, echo, find and grep.`,
    input: canDetach ? detachableInput : (input as typeof detachableInput),
    access: ({ command, dangerouslyDisableSandbox: leavesSandbox }) => ({
      kind: 'execute',
      command,
      ...(leavesSandbox && { leavesSandbox }),
    }),
    async prepare(call, { service }) {
      const { sandbox } = service(shellPort);
      if (call.detach) refuseDetach(call, sandbox);
      sandbox?.confines(call); // throws before the user is asked about a call that is not permitted
      return call;
    },
    isConcurrencySafe: ({ command }) => isReadOnly(command),
    async run(call, context) {
      if (call.run_in_background) return startInBackground(call, context);
      // A command that only reads cannot change the directory or leave processes, so it needs no script.
      return runToEnd(call, isReadOnly(call.command) ? 'plain' : 'reporting', context);
    },
  };
}

/** A command that outlives the session also outlives its sandbox. */
function refuseDetach({ run_in_background }: BashInput, sandbox: ShellSandbox | null): void {
  if (!run_in_background) throw refusal('detach goes only with run_in_background. Nothing was started.');
  if (sandbox) throw refusal('A detached command cannot run where a sandbox is in force. Nothing was started.');
}
