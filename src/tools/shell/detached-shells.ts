import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { messageOf } from '../../util/message-of.ts';
import { type DetachedProcess, startDetached } from '../../util/process/detached-process.ts';
import { endDetached, taskMark } from '../../util/process/process-detached-end.ts';
import type { BackgroundTask, BackgroundTasks } from '../background/background-tasks.ts';
import { ToolError } from '../tool.ts';
import type { BackgroundSpec } from './background-shells.ts';

/**
 * Starts commands that outlive the session and this process. Their output goes to the file directly and is not limited.
 */
export interface DetachedShells {
  /** Resolves when the command has begun, and can be found again by its id. Rejects with a ToolError. */
  start(spec: Omit<BackgroundSpec, 'sandbox'>): Promise<BackgroundTask>;
}

export interface DetachedShellsOptions {
  tasks: BackgroundTasks;
  sessionId: string;
  outputDir: string;
  /** The directory with the records of the session's tasks. */
  recordsDir: string;
}

/**
 * `$1` is the command, `$2` the file for its exit code. It begins only on a sign from Heddle, after its record is on
 * disk, and in its own shell, so that an `exit` or `exec` ends only that shell. The traps let the outer shell write the
 * exit code when the whole group is asked to end; the command gets the signals as usual.
 */
const SCRIPT = `
read -r go || exit 125
trap : INT TERM HUP
"$BASH" -c "$1" </dev/null
code=$?
umask 077
printf '%s\\n' "$code" > "$2.tmp" && mv -f "$2.tmp" "$2"
exit "$code"
`;

export function createDetachedShells(options: DetachedShellsOptions): DetachedShells {
  const { tasks, sessionId, outputDir, recordsDir } = options;

  async function launch({ command, cwd, env, guard }: Omit<BackgroundSpec, 'sandbox'>, id: string, output: number) {
    const args = ['-c', SCRIPT, 'heddle-task', command, join(recordsDir, `${id}.exit`)];
    const [name, value] = taskMark(sessionId, id);
    const shell = existsSync('/bin/bash') ? '/bin/bash' : 'bash';
    const spec = { command: shell, args, cwd, env: { ...env, CLAUDECODE: '1', [name]: value }, output };
    return startDetached(guard ? await guard.confine(spec) : spec);
  }

  return {
    async start(spec) {
      const { command, description, toolUseId } = spec;
      const id = tasks.freshId('b');
      const outputFile = join(outputDir, `${id}.output`);
      const started = await withOutput(outputFile, (output) => launch(spec, id, output));
      const stop = () => void endDetached(started.identity, { sessionId, id });
      const handle = tasks.begin({
        ...{ id, command, toolUseId, outputFile, stop },
        type: 'local_bash',
        description: description ?? command,
        isBackgrounded: true,
        isDetached: true,
        process: started.identity,
      });
      started.ended.then(({ exitCode }) => {
        const wasStopped = exitCode === null || handle.task.stoppedBy !== null;
        handle.end({ status: wasStopped ? 'killed' : exitCode === 0 ? 'completed' : 'failed', exitCode });
      });
      await tasks.noted();
      if (!existsSync(join(recordsDir, `${id}.json`))) {
        await tasks.stop(id, 'session');
        throw new ToolError('The command was not started: it could not be noted, so nobody could find it again.');
      }
      started.release();
      return handle.task;
    },
  };
}

async function withOutput(path: string, start: (output: number) => Promise<DetachedProcess>): Promise<DetachedProcess> {
  let output: number | null = null;
  try {
    makeDirectory(join(path, '..'), 0o700);
    output = openSync(path, 'ax', 0o600);
    return await start(output);
  } catch (error) {
    throw new ToolError(`The command was not started: ${messageOf(error)}`, { cause: error });
  } finally {
    if (output !== null) closeSync(output);
  }
}
