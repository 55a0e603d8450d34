import { isObject, type JsonObject } from '../util/json.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/peer.ts';
import { invalidRequest } from './invalid-request.ts';

/** What an `mcp_call` asks for. */
export interface McpCallRequest {
  /** `mcp__server__tool`. */
  name: string;
  input: JsonObject;
  /** The call is somebody else's: what has to be asked is asked, and the request itself is no answer. */
  mayAsk: boolean;
  /** The result is as the model would get it. */
  isForModel: boolean;
  timeoutMs?: number;
}

const MIN_MS = 1000;
const MAX_MS = 600_000;

/** Throws a ControlError for what cannot be read, is over, or belongs to files that only the vendor's service has. */
export function readMcpCall(request: ControlBody, now: number): McpCallRequest {
  const { tool, arguments: input = {}, check_permissions: mayAsk = false, timeout_ms: timeout } = request;
  if (typeof tool !== 'string') throw invalidRequest('tool', 'a string');
  if (!isObject(input)) throw invalidRequest('arguments', 'an object');
  if (typeof mayAsk !== 'boolean') throw invalidRequest('check_permissions', 'true or false');
  if (timeout !== undefined && typeof timeout !== 'number') throw invalidRequest('timeout_ms', 'a number');
  if (request.input_files !== undefined || request.output_files !== undefined) {
    throw new ControlError('mcp_call with files is not supported here', 'not_supported');
  }
  checkDeadline(request.expires_at, now);
  return {
    name: tool,
    input,
    mayAsk,
    isForModel: request.result_not_for_model !== true,
    ...(timeout !== undefined && { timeoutMs: Math.min(Math.max(timeout, MIN_MS), MAX_MS) }),
  };
}

/** What cannot be read counts as over: nobody must find a call that has run too late. */
function checkDeadline(expiresAt: unknown, now: number): void {
  if (expiresAt === undefined) return;
  const time = typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.NaN;
  if (!(time > now)) throw new ControlError('The tool did not run: expires_at is over', 'expired');
}
