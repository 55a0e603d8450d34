import type { JsonObject } from '../util/json.ts';
import type { Runtime } from '../util/runtime.ts';
import type { ContentBlock } from '../wire/api/content.ts';
import type { FileStates } from './file-states.ts';
import type { InputSchema } from './input-schema.ts';
import type { Port } from './port.ts';
import type { Workspace } from './workspace.ts';

/** The facts about a call that a permission decision needs, in addition to the tool's name. */
export type Access =
  | { kind: 'none' }
  | { kind: 'read'; paths: string[] }
  | { kind: 'edit'; paths: string[] }
  /** `leavesSandbox`: the command asks to run outside of the sandbox. */
  | { kind: 'execute'; command: string; leavesSandbox?: true }
  /** A person must answer, whatever the mode: a question, a plan to approve. */
  | { kind: 'interaction' }
  /** An action that rules can name, such as a skill. Without `asks` it changes nothing by itself. */
  | { kind: 'named'; name: string; asks: boolean }
  /**
   * Anything else that needs approval: network, custom tools. `host` is the host to contact, in the form of
   * `hostNameOf`.
   */
  | { kind: 'other'; host?: string };

/** Everything a tool may touch. One is made per call. */
export interface ToolContext {
  readonly workspace: Workspace;
  /** The state in which files were read; shared by all calls of a session. */
  readonly files: FileStates;
  readonly toolUseId: string;
  readonly runtime: Runtime;
  /** Settings of the environment that tools honour, such as BASH_DEFAULT_TIMEOUT_MS. Never holds model credentials. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory for outputs that are too large for the model. */
  readonly spillDir: string;
  readonly signal: AbortSignal;
  /** The W3C trace context of the call, for servers that it contacts; absent without tracing. */
  readonly trace?: Readonly<Record<string, string>>;
  /** The service of the host behind a port. Throws when the host offers none. */
  service<Service>(port: Port<Service>): Service;
  /** Reports the progress of the call to people; absent when no host listens. */
  onProgress?(progress: ToolProgress): void;
}

/** The progress of a call: a part of `total`, or a number without a total. */
export interface ToolProgress {
  progress?: number;
  total?: number;
  message?: string;
}

/** A result in two forms: bounded content for the model, structured data for people (`tool_use_result` on the wire). */
export interface ToolOutput {
  content: string | ContentBlock[];
  data: unknown;
  /** Further fields of `data`, for hosts that know the tool output of the reference since 2.1.325. */
  todaysData?: JsonObject;
  /** Set only by tools whose results carry the flag on success too (Bash). */
  isError?: false;
  /** A message of the runtime after the results of the round, such as a skill's text. */
  followUp?: string;
}

/**
 * A failure that the model should read. `wrap` puts it into <tool_use_error> tags, as the wire does for
 * preconditions (unknown tool, bad input, edit before read) but not for ordinary failures.
 *
 * @example
 * ```ts
 * const now: Tool = {
 *   name: 'Now',
 *   description: 'Tells the time in a time zone.',
 *   input: { json: { type: 'object' }, parse: (value) => ({ ok: true, value: value as { zone?: string } }) },
 *   access: () => ({ kind: 'none' }),
 *   isConcurrencySafe: () => true,
 *   async run({ zone }) {
 *     if (typeof zone !== 'string') throw new ToolError('Which time zone? Give `zone`.');
 *     return { content: new Date().toLocaleString('en', { timeZone: zone }), data: null };
 *   },
 * };
 * ```
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly wrap: boolean;
  constructor(message: string, options: { wrap?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.wrap = options.wrap ?? false;
  }
}

/** For a precondition that a call does not meet. */
export function refusal(message: string): ToolError {
  return new ToolError(message, { wrap: true });
}

export interface Tool<Input = JsonObject> {
  readonly name: string;
  /** Other names by which it may be called; requests list it by its own. */
  readonly aliases?: readonly string[];
  /** Ours, for the model. Byte-stable: no dates, no paths. */
  readonly description: string;
  readonly input: InputSchema<Input>;
  /**
   * Part of every request, however many tools there are; other tools of a host may be left out until the model searches
   * for them.
   */
  readonly alwaysLoad?: boolean;
  /**
   * The most characters of a result that the model gets to see; the rest goes to a file. Default: what a request can
   * carry.
   */
  readonly maxResultChars?: number;
  /** The MCP server of the tool, and the source that defined it: `sdk` only for a server in the host's process. */
  readonly server?: { readonly name: string; readonly source: string } | undefined;
  /**
   * The files, commands or hosts that this call touches, for the permission decision. Pure; paths are resolved against
   * the workspace's cwd.
   */
  access(input: Input, workspace: Workspace): Access;
  /**
   * Called before the permission question. Throws a ToolError for a call that cannot work whatever the answer, and may
   * add fields to the input that the user should see.
   */
  prepare?(input: Input, context: ToolContext): Promise<Input>;
  /** True when the call may run concurrently with others: it changes nothing that another could see. */
  isConcurrencySafe(input: Input): boolean;
  /** Runs the call. Throws a ToolError that the model should read; any other error is logged and turned into one. */
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
}
