import { spawn } from 'node:child_process';
import type { Stage } from '../stage/stage.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Opens a file in the person's editor, and resolves when it ends. Rejects with what to tell the person. */
export async function editFile(path: string, stage: Pick<Stage, 'lend'>, env: Env): Promise<void> {
  const program = env.VISUAL || env.EDITOR || 'vi';
  // The variables may hold options, so a shell reads them; the path is a word of its own.
  const args = ['-c', `${program} "$1"`, program, path];
  await stage.lend(
    () =>
      new Promise<void>((resolve, reject) => {
        const child = spawn('/bin/sh', args, { stdio: 'inherit' });
        child.on('error', reject);
        child.on('close', (code) =>
          code === 0 ? resolve() : reject(new Error(`${program} ended with exit code ${code}`)),
        );
      }),
  );
}
