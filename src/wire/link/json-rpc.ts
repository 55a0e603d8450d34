import type { JsonObject } from '../../util/json.ts';

/** The versions of MCP that Heddle supports, the newest first. */
export const MCP_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

/** The error codes of JSON-RPC. */
export const RPC_ERRORS = { invalidRequest: -32600, unknownMethod: -32601, invalidParams: -32602, internal: -32603 };

export type RpcId = string | number;

export interface RpcRequest extends JsonObject {
  method: string;
  params?: JsonObject;
  jsonrpc: '2.0';
  id: RpcId;
}

export interface RpcNotification extends JsonObject {
  method: string;
  params?: JsonObject;
  jsonrpc: '2.0';
}

/** An error that a JSON-RPC response carries. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export function isRpcRequest(message: JsonObject): message is RpcRequest {
  return typeof message.method === 'string' && isRpcId(message.id);
}

export function isRpcId(id: unknown): id is RpcId {
  return typeof id === 'string' || typeof id === 'number';
}

export function rpcNotification(method: string, params?: JsonObject): RpcNotification {
  return { method, ...(params && { params }), jsonrpc: '2.0' };
}

export function rpcResult(id: RpcId, result: JsonObject): JsonObject {
  return { result, jsonrpc: '2.0', id };
}

/** Turns a thrown value into an error response. */
export function rpcFailure(id: RpcId, error: unknown): JsonObject {
  const code = error instanceof RpcError ? error.code : RPC_ERRORS.internal;
  const message = error instanceof Error ? error.message : String(error);
  return { jsonrpc: '2.0', id, error: { code, message } };
}
