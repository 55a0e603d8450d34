import { messageOf } from '../../util/message-of.ts';
import { type DraftFile, openDraftFile, pruneDrafts, readDraft } from '../drafts/draft-file.ts';
import { draftOf } from '../editor/editor.ts';
import { withDraft } from '../focus/focus.ts';
import type { Stage } from '../stage/stage.ts';
import type { TypingContext, TypingInbox } from './typing-context.ts';

const EMPTY = { draft: { text: '', attachments: [] }, queued: [] };

/** Stores the draft and the prompts that wait, and brings back those of a terminal that died. */
export class DraftKeeper {
  readonly #place: TypingContext;
  readonly #stage: Stage;
  readonly #desk: TypingInbox;
  #sessionId: string | null = null;
  #file: DraftFile | null = null;
  #isStopped = false;
  /** What was saved last: the text as it was, and which prompts waited. */
  #saved: { text: string; waiting: string } = { text: '', waiting: '' };

  constructor(place: TypingContext, stage: Stage, desk: TypingInbox) {
    this.#place = place;
    this.#stage = stage;
    this.#desk = desk;
    if (place.home !== null && place.isKept) pruneDrafts(place.home);
  }

  /** The session has this id now: after its start, or another one after `/clear` and `/resume`. */
  use(sessionId: string): void {
    const { home, isKept } = this.#place;
    if (home === null || !isKept || this.#isStopped || sessionId === this.#sessionId) return;
    this.#file?.save(EMPTY);
    void this.#file?.flush();
    this.#sessionId = sessionId;
    const onProblem = (error: unknown) => this.#stage.notify(`The draft cannot be stored: ${messageOf(error)}`);
    this.#file = openDraftFile({ home, sessionId, onProblem });
    this.#restore(home, sessionId);
    this.#saved = { text: '', waiting: '' };
    this.note();
  }

  /** The person wants no drafts on disk. */
  stop(): void {
    this.#file?.save(EMPTY);
    void this.#file?.flush();
    this.#file = null;
    this.#isStopped = true;
  }

  /** Something was typed, sent, or taken back. */
  note(): void {
    const { editor } = this.#desk.state;
    const { queue } = this.#stage.tracker.view;
    const waiting = queue.map(({ uuid }) => uuid).join(' ');
    if (!this.#file || (editor.text === this.#saved.text && waiting === this.#saved.waiting)) return;
    this.#saved = { text: editor.text, waiting };
    this.#file.save({ draft: draftOf(editor), queued: queue.map(({ text }) => text) });
  }

  /** Resolves when the present draft is on disk. */
  async close(): Promise<void> {
    await this.#file?.flush();
  }

  /** A draft that is being written stays behind the one that comes back. */
  #restore(home: string, sessionId: string): void {
    const left = readDraft(home, sessionId);
    if (!left || (left.draft.text === '' && left.queued.length === 0)) return;
    const desk = this.#desk;
    if (desk.state.editor.text === '') desk.set(withDraft(desk.state, left.draft));
    else desk.giveBack([left.draft.text]);
    desk.giveBack(left.queued);
    const queued = left.queued.length > 0 ? ', with prompts that waited' : '';
    this.#stage.notify(`The draft of the earlier terminal is back${queued}.`);
    this.#stage.changed();
  }
}
