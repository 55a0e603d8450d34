import { messageOf } from '../../util/message-of.ts';
import { printEarlier } from '../pager/earlier-rows.ts';
import { safeLine } from '../rows/safe-text.ts';
import type { Stage } from '../stage/stage.ts';
import { askChoice } from './ask-choice.ts';

export interface OtherSession {
  resume: string;
  /** The directory that it belongs to. */
  cwd?: string;
}

/** Goes to another session in this terminal; asks first where a turn runs. */
export function goToSession(stage: Stage, { resume, cwd }: OtherSession, then: () => void = () => {}): void {
  if (stage.place.isGuest) {
    stage.print(['', 'This terminal has joined a session, and cannot go to another. /detach leaves it running; then:']);
    stage.print([`  heddle -r ${resume}`], 'code');
    return;
  }
  if (cwd !== undefined && cwd !== stage.place.cwd) {
    stage.print(['', 'That session belongs to another directory. To go on with it:']);
    stage.print([`  cd ${safeLine(cwd)} && heddle -r ${resume}`], 'code');
    return;
  }
  const go = () =>
    void stage
      .openSession({ resume })
      .then(() => printEarlier(stage))
      .then(then, (error) => stage.print(['', messageOf(error)], 'error'));
  if (!stage.isBusy) go();
  else {
    askChoice(stage, 'A turn is running here', [
      { text: 'Stay', run: () => {} },
      { text: 'Interrupt it, and go', run: go },
    ]);
  }
}
