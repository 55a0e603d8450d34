import type { Ask, AskAnswer } from '../agent/gate.ts';
import { isObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Peer } from '../wire/peer.ts';
import type { Voice } from './voice.ts';

/** Asks the host with `can_use_tool`. Anything but a well-formed allow is a denial (trust P-8). */
export function askOverControl(peer: Peer, voice?: Pick<Voice, 'tellAsked' | 'tellAnswered'>): Ask {
  return async (request, signal) => {
    voice?.tellAsked();
    try {
      const { canUseTool } = await import('./question.ts');
      return await readAnswer(await peer.call(canUseTool(request), { signal }));
    } catch (error) {
      if (signal.aborted) return { behavior: 'deny', message: 'The question was withdrawn: the turn was interrupted' };
      return { behavior: 'deny', message: `Tool permission request failed: ${messageOf(error)}` };
    } finally {
      voice?.tellAnswered();
    }
  };
}

/** The schemas are loaded with the first answer: a run in which nobody is asked needs none. */
export async function readAnswer(body: unknown): Promise<AskAnswer> {
  const [{ PermissionResult }, { firstIssue }] = await Promise.all([
    import('../wire/permissions.ts'),
    import('../wire/schema.ts'),
  ]);
  const parsed = PermissionResult.safeParse(body);
  if (parsed.success) return parsed.data;
  const problem = hasBehavior(body) ? firstIssue(parsed.error) : 'expected an object with behavior "allow" or "deny"';
  return { behavior: 'deny', message: `Tool permission request failed: the answer is not valid: ${problem}` };
}

function hasBehavior(body: unknown): boolean {
  return isObject(body) && (body.behavior === 'allow' || body.behavior === 'deny');
}
