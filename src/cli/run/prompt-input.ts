import { fstatSync } from 'node:fs';
import { HeddleError } from '../../wire/errors.ts';

/** How long a silent, open stdin may delay a run that already has a prompt. */
const SILENCE_MS = 100;

/**
 * The prompt: the argument, stdin, or both joined by a newline. With an argument, a stdin on which nothing arrives is
 * soon ignored; input that has begun to arrive is read to its end. Without either: null if the prompt is optional, else
 * it throws.
 */
export async function readPrompt(
  argument: string | undefined,
  { isOptional }: { isOptional: boolean },
): Promise<string | null> {
  const piped = hasInput() ? await readAll(argument === undefined && !isOptional ? null : SILENCE_MS) : '';
  const prompt = [argument, piped].filter((text) => text !== undefined && text !== '').join('\n');
  if (prompt.trim() !== '') return prompt;
  if (isOptional) return null;
  throw new HeddleError(
    'invalid_option',
    'There is no prompt. Give it as an argument (heddle "…") or through stdin (echo "…" | heddle)',
    { facts: { missing: 'prompt' } },
  );
}

/** A terminal is not read (the user would not see that Heddle waits), nor is a character device such as /dev/null. */
function hasInput(): boolean {
  try {
    return !fstatSync(0).isCharacterDevice();
  } catch {
    return false; // stdin is closed
  }
}

function readAll(silenceMs: number | null): Promise<string> {
  const stdin = process.stdin;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const finish = () => {
      clearTimeout(timer);
      stdin.removeAllListeners('data').removeAllListeners('end').removeAllListeners('error');
      stdin.destroy();
      resolve(
        Buffer.concat(chunks)
          .toString('utf8')
          .replace(/^\uFEFF/, ''),
      );
    };
    const timer = silenceMs === null ? undefined : setTimeout(finish, silenceMs);
    stdin.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
    });
    stdin.on('end', finish);
    stdin.on('error', (error) => {
      clearTimeout(timer);
      reject(new HeddleError('invalid_option', `stdin cannot be read: ${error.message}`));
    });
  });
}
