import { isAbsolute } from 'node:path';
import { startFailureLine } from '../agent/start-failure.ts';
import { isOn } from '../util/setting-text.ts';
import { dialectOfSdk } from '../wire/dialect.ts';
import type { ErrorCode, HeddleError } from '../wire/errors.ts';
import type { ResultError, StartupFailureReason } from '../wire/messages/result.ts';
import type { Launch } from '../wire/run-config.ts';
import type { Engine } from './engine.ts';
import type { Env } from './home.ts';
import type { Emit } from './voice.ts';

const TOLD_AS_RESULT: ReadonlySet<ErrorCode> = new Set([
  'session_not_found',
  'session_ambiguous',
  'session_busy',
  'session_unreadable',
  'resume_rejected',
  'storage_failed',
  'aborted',
]);

/**
 * A session that is not there is told as a lone result, as hosts expect; wrong settings are a usage error without any
 * line, for the face in front (the CLI's stderr, the transport's exit) to tell.
 */
export async function tellFailedStart(engine: Engine, launch: Launch, error: HeddleError, emit: Emit): Promise<void> {
  const facts = startupFacts(error, engine.envOf(launch));
  if (!TOLD_AS_RESULT.has(error.code) && !facts.isTold) return;
  const { ids } = engine.runtime;
  const line = startFailureLine(error, { sessionId: ids.uuid(), uuid: ids.uuid() });
  await emit({ ...line, ...facts.fields })?.catch(() => {});
}

interface StartupFacts {
  /** Whether hosts are told by a result, beside what stands on stderr. */
  isTold: boolean;
  fields: Pick<ResultError, 'startup_failure_reason' | 'invalid_config_file'>;
}

const TOLD_ALWAYS: ReadonlySet<string> = new Set(['initialize_not_first', 'managed_settings_not_delivered']);

/** Why a run could not start, in the words of the reference, where it has one for it. */
function startupFacts(error: HeddleError, env: Env): StartupFacts {
  const reason = reasonOf(error);
  if (reason === null) return { isTold: false, fields: {} };
  const path = reason === 'config_file_invalid' ? String(error.facts.brokenFile) : null;
  return {
    // To those who have used a flag that this word belongs to, who ask for it, or who expect it.
    isTold:
      TOLD_ALWAYS.has(reason) ||
      isOn(env.CLAUDE_CODE_STARTUP_FAILURE_RESULTS) ||
      (path !== null && dialectOfSdk(env.CLAUDE_AGENT_SDK_VERSION) === '2.1.325'),
    fields: {
      startup_failure_reason: reason,
      ...(path !== null && { invalid_config_file: { path, is_global: false, backup_searched: false } }),
    },
  };
}

function reasonOf({ code, facts }: HeddleError): StartupFailureReason | null {
  if (typeof facts.startupFailureReason === 'string') return facts.startupFailureReason as StartupFailureReason;
  if (code === 'sandbox_unavailable') return 'sandbox_required_unavailable';
  if (code !== 'invalid_settings') return null;
  return typeof facts.brokenFile === 'string' && isAbsolute(facts.brokenFile) ? 'config_file_invalid' : null;
}
