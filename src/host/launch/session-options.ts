import { isOn, positiveInteger } from '../../util/text/setting-text.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { Env } from '../engine/environment.ts';

/** Options that the launch sets for the whole session. Frozen. */
export interface SessionOptions {
  readonly pid: number;
  /** Whether the run must be repeatable line by line. */
  readonly ordered: boolean;
  /** Whether the host answers permission questions. */
  readonly asksHost: boolean;
  /** The tool of an MCP server that answers permission questions (`--permission-prompt-tool`); null: there is none. */
  readonly promptTool: string | null;
  /** Who reads each change between running, waiting for an answer and idle: no one, the SDK, or its user, too. */
  readonly stateLines: 'none' | 'sdk' | 'all';
  readonly toolUseSummaries: boolean;
  /** Milliseconds between the progress lines of a long tool call; undefined for the default. */
  readonly progressMs: number | undefined;
  /** Whether a prompt that begins with a slash is plain text. */
  readonly takesCommandsAsText: boolean;
  /** Whether an `@path` in a prompt is plain text. */
  readonly takesPromptsVerbatim: boolean;
  readonly replayUserMessages: boolean;
  readonly replayHistory: boolean;
  /** What happens to work that is left when the input has ended. */
  readonly endPolicy: { readonly onEnd: 'wait' | 'stop'; readonly waitMs: number };
}

export function sessionOptions(
  config: RunConfig,
  env: Env,
  { pid, ordered }: Pick<SessionOptions, 'pid' | 'ordered'>,
): SessionOptions {
  const asksNobody = config.permissionPrompts === 'none';
  const asksHost = config.permissionPromptTool === 'stdio' && !asksNobody;
  const options: SessionOptions = {
    pid,
    ordered,
    asksHost,
    promptTool: asksHost || asksNobody ? null : (config.permissionPromptTool ?? null),
    stateLines: stateLines(env),
    toolUseSummaries: config.toolUseSummaries === true,
    progressMs: positiveInteger(env.HEDDLE_PROGRESS_MS),
    takesCommandsAsText: config.disableSlashCommands === true || config.verbatimPrompts === true,
    takesPromptsVerbatim: config.verbatimPrompts === true,
    replayUserMessages: config.replayUserMessages === true,
    replayHistory: config.replayHistory === true,
    endPolicy: { onEnd: config.onEnd === 'stop' ? 'stop' : 'wait', waitMs: (config.backgroundWait ?? 3600) * 1000 },
  };
  return Object.freeze(options);
}

/** The SDK hides the state lines from its user that only the SDK has asked for. */
function stateLines(env: Env): SessionOptions['stateLines'] {
  if (isOn(env.CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS)) return 'all';
  return isOn(env.CLAUDE_CODE_SDK_READS_SESSION_STATE) ? 'sdk' : 'none';
}
