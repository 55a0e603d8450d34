import type * as z from 'zod/mini';
import { isObject } from '../../util/json.ts';
import { MessageParseError } from '../errors.ts';
import { firstIssue } from '../schema.ts';
import { cliRequests } from './cli-requests.ts';
import type { Exchange } from './exchange.ts';
import { hostRequests } from './host-requests.ts';

export * from '../link/frames.ts';
export { SlashCommand } from '../messages/slash-command.ts';
export type {
  Branch,
  ContextUsage,
  FileContents,
  FlagSettingsResult,
  HooksListing,
  InterruptReceipt,
  ListedRule,
  McpCallResult,
  McpResourceContents,
  McpSetServersResult,
  PermissionExplanation,
  PermissionRules,
  ReloadedPlugins,
  RewindFilesResult,
  SessionNode,
  SessionTree,
  SessionUsage,
  SettingsInForce,
  SettingsParseError,
  SwitchLeafResult,
  TaskOutput,
} from './answers.ts';
export type { ElicitationResult, StoreKey } from './cli-requests.ts';
export { cliRequests } from './cli-requests.ts';
export { Done } from './exchange.ts';
export { hostRequests } from './host-requests.ts';
export {
  AccountInfo,
  AgentInfo,
  HookCallbackMatcher,
  InitializeResponse,
  ModelInfo,
} from './initialize.ts';
export type {
  AttachResult,
  CallPreview,
  CommandPreview,
  FileSuggestion,
  FileSuggestions,
  ListedResource,
  McpResourceList,
  PermissionUpdatesResult,
  ProjectTrustReport,
  SessionMessagesPage,
  ShellCommandResult,
  StatusLineResult,
} from './interface-answers.ts';

export type HostSubtype = keyof typeof hostRequests;
export type CliSubtype = keyof typeof cliRequests;

export type HostRequestOf<Subtype extends HostSubtype> = z.infer<(typeof hostRequests)[Subtype]['request']>;
export type CliRequestOf<Subtype extends CliSubtype> = z.infer<(typeof cliRequests)[Subtype]['request']>;
/** Any request that a host sends to the CLI. */
export type HostRequest = { [Subtype in HostSubtype]: HostRequestOf<Subtype> }[HostSubtype];
/** Any request that the CLI sends to its host. */
export type CliRequest = { [Subtype in CliSubtype]: CliRequestOf<Subtype> }[CliSubtype];
export type ControlRequest = HostRequest | CliRequest;

/** The body that answers a request. (`mcp_message` exists in both directions and has one answer.) */
export type ResponseOf<Subtype extends HostSubtype | CliSubtype> = Subtype extends HostSubtype
  ? z.infer<(typeof hostRequests)[Subtype]['response']>
  : Subtype extends CliSubtype
    ? z.infer<(typeof cliRequests)[Subtype]['response']>
    : never;

export type ParsedRequest<Request> =
  | { ok: true; request: Request }
  /** `code` is the `error_code` of the error response, `error` its text. */
  | { ok: false; code: 'unsupported_request' | 'invalid_request'; error: string };

/**
 * For the CLI: checks a request of the host.
 *
 * @example
 * ```ts
 * const parsed = parseHostRequest({ subtype: 'set_model', model: 'sonnet' });
 * if (!parsed.ok) console.error(parsed.code, parsed.error);
 * else if (parsed.request.subtype === 'set_model') console.log(parsed.request.model);
 * ```
 */
export function parseHostRequest(body: unknown): ParsedRequest<HostRequest> {
  return parseRequest<HostRequest>(hostRequests, body);
}

/**
 * For the host: checks a request of the CLI.
 *
 * @example
 * ```ts
 * const parsed = parseCliRequest({ subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' } });
 * if (parsed.ok && parsed.request.subtype === 'can_use_tool') console.log(parsed.request.tool_name);
 * ```
 */
export function parseCliRequest(body: unknown): ParsedRequest<CliRequest> {
  return parseRequest<CliRequest>(cliRequests, body);
}

/**
 * For the host: checks the CLI's response to `subtype`. Throws a MessageParseError that names the bad field.
 *
 * @example
 * ```ts
 * const { models } = readHostResponse('initialize', { commands: [], models: [], account: {} });
 * console.log(models);
 * ```
 */
export function readHostResponse<Subtype extends HostSubtype>(subtype: Subtype, body: unknown): ResponseOf<Subtype> {
  return readResponse(hostRequests[subtype], subtype, body) as ResponseOf<Subtype>;
}

/**
 * For the CLI: checks the host's response to `subtype`. Throws a MessageParseError that names the bad field.
 *
 * @example
 * ```ts
 * const answer = readCliResponse('can_use_tool', { behavior: 'deny', message: 'Not today.' });
 * console.log(answer.behavior);
 * ```
 */
export function readCliResponse<Subtype extends CliSubtype>(subtype: Subtype, body: unknown): ResponseOf<Subtype> {
  return readResponse(cliRequests[subtype], subtype, body) as ResponseOf<Subtype>;
}

function parseRequest<Request>(table: Record<string, Exchange>, body: unknown): ParsedRequest<Request> {
  const subtype = isObject(body) ? body.subtype : undefined;
  if (typeof subtype !== 'string') {
    return { ok: false, code: 'invalid_request', error: 'request.subtype: expected a string' };
  }
  const known = Object.hasOwn(table, subtype) ? table[subtype] : undefined;
  if (!known) {
    return { ok: false, code: 'unsupported_request', error: `Unsupported control request subtype: ${subtype}` };
  }
  const checked = known.request.safeParse(body);
  if (!checked.success) {
    return { ok: false, code: 'invalid_request', error: `${subtype}: ${firstIssue(checked.error)}` };
  }
  return { ok: true, request: body as Request };
}

function readResponse(known: Exchange, subtype: string, body: unknown): unknown {
  const checked = known.response.safeParse(body);
  if (checked.success) return body;
  throw new MessageParseError(`response to ${subtype}: ${firstIssue(checked.error)}`, { facts: { subtype } });
}
