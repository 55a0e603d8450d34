import { isAbsolute } from 'node:path';
import { startFailureLine } from '../../agent/start-failure.ts';
import { isOn } from '../../util/text/setting-text.ts';
import { dialectOfSdk } from '../../wire/dialect.ts';
import type { ErrorCode, HeddleError } from '../../wire/errors.ts';
import type { ResultError, StartupFailureReason } from '../../wire/messages/result.ts';
import type { Launch } from '../../wire/run-config.ts';
import type { Engine } from '../engine/engine.ts';
import type { Env } from '../engine/environment.ts';
import type { Emit } from '../link/outbox.ts';

const REPORTED_AS_RESULT: ReadonlySet<ErrorCode> = new Set([
  'session_not_found',
  'session_ambiguous',
  'session_busy',
  'session_unreadable',
  'resume_rejected',
  'nothing_to_continue',
  'storage_failed',
  'aborted',
]);

/**
 * Sends a lone result for a session that cannot be opened, as hosts expect. Wrong settings are a usage error without any
 * line: the command line prints it, and a transport reports it with its exit.
 */
export async function reportFailedStart(engine: Engine, launch: Launch, error: HeddleError, emit: Emit): Promise<void> {
  const details = startupDetails(error, engine.envOf(launch));
  if (!REPORTED_AS_RESULT.has(error.code) && !details.isReported) return;
  const { ids } = engine.runtime;
  const line = startFailureLine(error, { sessionId: ids.uuid(), uuid: ids.uuid() });
  await emit({ ...line, ...details.fields })?.catch(() => {});
}

interface StartupDetails {
  /** Whether hosts get a result, in addition to the text on stderr. */
  isReported: boolean;
  fields: Pick<ResultError, 'startup_failure_reason' | 'invalid_config_file'>;
}

const ALWAYS_REPORTED: ReadonlySet<string> = new Set(['initialize_not_first', 'managed_settings_not_delivered']);

/** Why a run could not start, in the words of the reference, where the reference has one. */
function startupDetails(error: HeddleError, env: Env): StartupDetails {
  const reason = reasonOf(error);
  if (reason === null) return { isReported: false, fields: {} };
  const path = reason === 'config_file_invalid' ? String(error.facts.brokenFile) : null;
  return {
    // To hosts that used the flag of this reason, that ask for results, or whose version expects them.
    isReported:
      ALWAYS_REPORTED.has(reason) ||
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
