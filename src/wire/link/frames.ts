import * as z from 'zod/mini';
import type { JsonObject } from '../../util/json.ts';
import { AnyObject, oneOf, open, type Schema } from '../schema.ts';

/** The body of any control request; `hostRequests` and `cliRequests` define the fields of each subtype. */
export type ControlRequestBody = JsonObject & { subtype: string };
const ControlRequestBody = open({ subtype: z.string() }) as unknown as Schema<ControlRequestBody>;

/** Sends a request; its response carries the same `request_id`. */
export const ControlRequestFrame = open(() => ({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: ControlRequestBody,
}));
export type ControlRequestFrame = z.infer<typeof ControlRequestFrame>;

/** The unanswered requests, for a host that has lost track of them. */
const pending = {
  pending_permission_requests: z.optional(z.array(z.unknown())),
  pending_user_dialog_requests: z.optional(z.array(z.unknown())),
};

export const ControlSuccess = open(() => ({
  subtype: z.literal('success'),
  request_id: z.string(),
  /** Absent when there is nothing to return. */
  response: z.optional(AnyObject),
  ...pending,
}));
export type ControlSuccess = z.infer<typeof ControlSuccess>;

export const ControlFailure = open(() => ({
  subtype: z.literal('error'),
  request_id: z.string(),
  error: z.string(),
  error_code: z.optional(z.string()),
  ...pending,
}));
export type ControlFailure = z.infer<typeof ControlFailure>;

/** The one response to a request. */
export const ControlResponseFrame = open(() => ({
  type: z.literal('control_response'),
  response: oneOf('subtype', () => [ControlSuccess, ControlFailure]),
}));
export type ControlResponseFrame = z.infer<typeof ControlResponseFrame>;

/** Withdraws a request. A response that arrives later is ignored. */
export const ControlCancelFrame = open(() => ({
  type: z.literal('control_cancel_request'),
  request_id: z.string(),
  /** Who has answered a question before, where several hosts were asked. */
  answered_by: z.optional(z.string()),
}));
export type ControlCancelFrame = z.infer<typeof ControlCancelFrame>;

/** Every control line, by its `type`. Both directions use the same frames. */
export const controlFrames = {
  control_request: ControlRequestFrame,
  control_response: ControlResponseFrame,
  control_cancel_request: ControlCancelFrame,
};
export type ControlFrame = ControlRequestFrame | ControlResponseFrame | ControlCancelFrame;
