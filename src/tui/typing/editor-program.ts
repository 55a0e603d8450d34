import { spawn } from 'node:child_process';
import type { Stage } from '../stage/stage.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Opens a file in the person's editor program, and resolves when it ends. Rejects with why it did not end well. */
export async function editFile(path: string, stage: Pick<Stage, 'lend'>, env: Env): Promise<void> {
  const program = editorProgram(env);
  // The variables may hold options, so a shell reads them; the path is a word of its own.
  const args = ['-c', `${program} "$1"`, program, path];
  await stage.lend(
    () =>
      new Promise<void>((resolve, reject) => {
        const child = spawn('/bin/sh', args, { stdio: 'inherit', env: { ...env } });
        child.on('error', reject);
        child.on('close', (code, signal) =>
          code === 0 ? resolve() : reject(new Error(`${program} ended with ${signal ?? `exit code ${code}`}`)),
        );
      }),
  );
}

/** The person's editor program, with its options: `$VISUAL`, `$EDITOR`, else vi. */
function editorProgram({ VISUAL, EDITOR }: Env): string {
  return VISUAL?.trim() || EDITOR?.trim() || 'vi';
}
