import type { AskAnswer } from '../../agent/calls/gate.ts';
import { isObject } from '../../util/json.ts';
import { PermissionResult } from '../../wire/permissions.ts';
import { firstIssue } from '../../wire/schema.ts';

export { callPreview } from './call-preview.ts';
export { commandPreview } from './command-preview.ts';

/** Checks an answer to a permission question. An answer that is not valid becomes a denial that says why. */
export function readPermissionAnswer(body: unknown): AskAnswer {
  const parsed = PermissionResult.safeParse(body);
  if (parsed.success) return parsed.data;
  const problem = hasBehavior(body) ? firstIssue(parsed.error) : 'expected an object with behavior "allow" or "deny"';
  return { behavior: 'deny', message: `Tool permission request failed: the answer is not valid: ${problem}` };
}

function hasBehavior(body: unknown): boolean {
  return isObject(body) && (body.behavior === 'allow' || body.behavior === 'deny');
}
