import { isObject, type JsonObject, stringField } from '../../util/json.ts';

/** `answeredBy`: the host whose answer counts. */
export function cancellation(requestId: string, answeredBy?: string): JsonObject {
  const by = answeredBy === undefined ? {} : { answered_by: answeredBy };
  return { type: 'control_cancel_request', request_id: requestId, ...by };
}

export function answerTo(requestId: string, response: JsonObject): JsonObject {
  return { type: 'control_response', response: { subtype: 'success', request_id: requestId, response } };
}

export function refusalOf(requestId: string, error: unknown, code?: string): JsonObject {
  const message = error instanceof Error ? error.message : String(error);
  const errorCode = code ?? (isObject(error) ? stringField(error, 'errorCode') : undefined);
  const details = { error: message, ...(errorCode !== undefined && { error_code: errorCode }) };
  return { type: 'control_response', response: { subtype: 'error', request_id: requestId, ...details } };
}

/** Sessions that several hosts can share say so among their capabilities. */
export function withCapability(holder: JsonObject, field: string): JsonObject {
  const body = holder[field];
  if (!isObject(body) || !Array.isArray(body.capabilities)) return holder;
  return { ...holder, [field]: { ...body, capabilities: [...body.capabilities, 'attach'] } };
}
