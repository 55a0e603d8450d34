import type { UserInput } from '../../wire/messages/user.ts';
import type { Stage } from '../stage/stage.ts';

/** What the person says with an answer joins the running turn, as a prompt that was sent meanwhile. */
export function sendRemark(text: string, stage: Stage): void {
  const message = {
    ...{ type: 'user', uuid: stage.newId(), message: { role: 'user', content: text } },
    priority: 'next',
  } as UserInput;
  stage.take(stage.tracker.sent(message, stage.now()));
  stage.link?.send({ ...message }).catch(() => stage.draft(text));
}
