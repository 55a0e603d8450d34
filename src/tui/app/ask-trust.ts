import { messageOf } from '../../util/message-of.ts';
import type { Stage } from '../stage/stage.ts';
import type { ProjectTrust, TrustDecision } from '../stage/trust-decision.ts';
import type { Questions } from './questions.ts';

/**
 * Asks for trust in the project's files before the session opens: nothing of them has run by then. Resolves when the
 * session may open, with or without trust; false: the person has left instead.
 */
export async function mayOpen(
  trust: ProjectTrust | undefined,
  stage: Pick<Stage, 'print'> & { readonly ended: Promise<unknown> },
  questions: Questions,
): Promise<boolean> {
  const view = await trust?.view();
  if (!trust || !view) return true;
  const asked = questions.ask((asking, { trustDialog }) => trustDialog(view, asking));
  const answer = await Promise.race([asked, stage.ended.then(() => null)]);
  if (answer === null) return false;
  const decision: TrustDecision =
    answer.decision === 'always' || answer.decision === 'session' ? answer.decision : 'not-now';
  try {
    await trust.decide(decision);
  } catch (error) {
    stage.print([messageOf(error)], 'error');
  }
  return true;
}
