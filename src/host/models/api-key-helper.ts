import type { Processes } from '../../util/process/process.ts';
import type { Clock } from '../../util/runtime.ts';
import type { Credential } from '../engine/engine-models.ts';
import { type Env, toolEnv } from '../engine/environment.ts';

const STANDARD_TTL_MS = 300_000;
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 64 * 1024;

/**
 * The credential that a user's command prints (the setting `apiKeyHelper`). The command runs again when its answer is
 * older than CLAUDE_CODE_API_KEY_HELPER_TTL_MS, by default five minutes. It gets none of the runtime's credentials, and
 * its output is used only in requests.
 */
export function apiKeyHelper(
  command: string,
  { processes, cwd, env, clock }: { processes: Processes; cwd: string; env: Env; clock: Clock },
): Credential {
  const ttl = Number(env.CLAUDE_CODE_API_KEY_HELPER_TTL_MS) || STANDARD_TTL_MS;
  let known: { key: Promise<string>; until: number } | null = null;
  const ask = () => {
    const key = printed(command, { processes, cwd, env: toolEnv(env) });
    const entry = { key, until: clock.now() + ttl };
    // A failure is not cached: the next request runs the command again.
    key.catch(() => {
      if (known === entry) known = null;
    });
    known = entry;
    return entry;
  };
  return async () => {
    const { key } = known && clock.now() < known.until ? known : ask();
    return { apiKey: await key };
  };
}

async function printed(
  command: string,
  { processes, cwd, env }: { processes: Processes; cwd: string; env: Env },
): Promise<string> {
  let output = '';
  const onOutput = (stream: 'stdout' | 'stderr', data: Buffer) => {
    if (stream === 'stdout' && output.length < MAX_OUTPUT) output += data.toString('utf8');
  };
  const spec = { command: '/bin/sh', args: ['-c', command], cwd, env, timeoutMs: TIMEOUT_MS, onOutput };
  const { exitCode, timedOut } = await processes.run(spec, new AbortController().signal);
  if (timedOut) throw new Error(`apiKeyHelper took longer than ${TIMEOUT_MS / 1000} s`);
  if (exitCode !== 0) throw new Error(`apiKeyHelper ended with exit code ${exitCode}`);
  const key = output.trim();
  if (key === '') throw new Error('apiKeyHelper printed nothing');
  return key;
}
