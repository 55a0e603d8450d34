import { type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Draft, EditorState } from '../editor/editor.ts';
import type { VimKeys } from '../editor/vim-state.ts';
import type { Completion, EarlierPrompt, FocusWorld } from '../focus/focus-state.ts';
import type { Keymap } from '../focus/keymap.ts';
import { openMenu } from '../focus/meanings.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { EMPTY_ROW } from '../rows/row.ts';
import type { Stage } from '../stage/stage.ts';
import { createVimKeys } from '../vim/vim-keys.ts';
import { Completions } from './completion.ts';
import { DraftKeeper } from './draft-keeper.ts';
import { editOutside } from './external-editor.ts';
import { Images } from './images.ts';
import { menuRows } from './menu-rows.ts';
import { OwnKeys } from './own-keys.ts';
import { PromptHistory } from './prompt-history.ts';
import { searchRows } from './search-rows.ts';
import type { LoadCommands, TypingContext, TypingInbox } from './typing-context.ts';
import { type TypingSettings, typingSettings, USUAL_TYPING } from './typing-settings.ts';

/**
 * Behind the same door: how the terminal looks.
 * @public
 */
export { Look } from '../look/look.ts';

export interface TypingParts {
  readonly place: TypingContext;
  readonly stage: Stage;
  readonly desk: TypingInbox;
  readonly loadCommands: LoadCommands;
}

/** What helps to write a prompt: history, the draft on disk, menus, images, the person's keys and editor program. */
export class Typing {
  readonly #place: TypingContext;
  readonly #stage: Stage;
  readonly #desk: TypingInbox;
  readonly #history: PromptHistory;
  readonly #drafts: DraftKeeper;
  readonly #keys: OwnKeys;
  readonly #completions: Completions;
  readonly #images: Images;
  #settings: TypingSettings = USUAL_TYPING;
  #vim: VimKeys | null = null;
  #sessionId: string;

  constructor({ place, stage, desk, loadCommands }: TypingParts) {
    this.#place = place;
    this.#stage = stage;
    this.#desk = desk;
    this.#sessionId = place.sessionId ?? '';
    this.#history = new PromptHistory(place, stage);
    this.#drafts = new DraftKeeper(place, stage, desk);
    this.#keys = new OwnKeys(place.home, stage);
    this.#completions = new Completions(stage, this.#history, loadCommands);
    this.#images = new Images(place, stage, desk);
    if (place.sessionId !== null) this.#drafts.use(place.sessionId);
    void this.#history.load().then(() => stage.changed());
  }

  get keymap(): Keymap {
    return this.#keys.keymap;
  }

  get history(): readonly EarlierPrompt[] {
    return this.#history.prompts;
  }

  get settings(): TypingSettings {
    return this.#settings;
  }

  /** Null: the editor has the usual keys only. */
  get vim(): VimKeys | null {
    return this.#vim;
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  menu(editor: EditorState): Completion | null {
    return this.#completions.menu(editor);
  }

  /** What may follow the text, in dim. */
  hint(editor: EditorState): string {
    return this.#completions.hint(editor);
  }

  /** The rows above the editor: the search, which has the cursor, or the menu. */
  rows(): (RowsWithCaret & { hasCursor: boolean }) | null {
    const { state } = this.#desk;
    const { context } = this.#stage;
    if (state.search) return { ...searchRows(state.search, this.#world(), context), hasCursor: true };
    const menu = openMenu(state, { menu: this.menu(state.editor) });
    if (!menu) return null;
    const rows = menuRows(menu, state.menu.index, context);
    return { rows, caret: { row: 0, before: EMPTY_ROW }, hasCursor: false };
  }

  /** A key is about to be read: the keys of the file count from it on. */
  beforeKey(): void {
    this.#keys.look();
  }

  /** The text may have changed. */
  afterKey(): void {
    this.#completions.typed(this.#desk.state.editor);
    this.#drafts.note();
  }

  /** The draft or the queue may have changed. */
  noteDraft(): void {
    this.#drafts.note();
  }

  /** A line of the session: the first one tells which session it is. */
  noteSession(sessionId: string): void {
    if (sessionId === this.#sessionId) return;
    this.#sessionId = sessionId;
    this.#drafts.use(sessionId);
  }

  remember(draft: Draft): void {
    this.#history.add(draft, this.#sessionId);
  }

  /** Whether the paste was the path of an image, which is attached now. */
  tookPaste(text: string): boolean {
    return this.#images.fromPaste(text);
  }

  /** False where the action is none of those. */
  act(action: string): boolean {
    if (action === 'chat:externalEditor') void editOutside(this.#place, this.#stage, this.#desk);
    else if (action === 'chat:imagePaste') void this.#images.fromClipboard();
    else return false;
    return true;
  }

  /** The session is open: its settings can be asked for. Resolves with them. */
  async opened(): Promise<TypingSettings> {
    if (this.#place.sessionId === null) await this.#askSession();
    const answer: JsonObject = await this.#stage.call({ subtype: 'get_settings' }).catch(() => ({}));
    const { settings, problems } = typingSettings(answer);
    this.#settings = settings;
    this.useVim(settings.editorMode === 'vim');
    if (!settings.history) {
      this.#history.stop();
      this.#drafts.stop();
    }
    for (const problem of problems) this.#stage.print([`! Settings: ${problem}.`], 'warning');
    return settings;
  }

  /** Which session is continued: its lines come with the first turn, and the draft is wanted now. */
  async #askSession(): Promise<void> {
    const { messages } = await this.#stage
      .call({ subtype: 'session_messages', limit: 1 })
      .catch(() => ({ messages: [] }));
    const last = Array.isArray(messages) ? messages.at(-1) : undefined;
    const sessionId = stringField(last, 'session_id');
    if (sessionId !== undefined) this.noteSession(sessionId);
  }

  useVim(isOn: boolean): void {
    this.#vim = isOn ? createVimKeys(this.#settings.vimEscapes) : null;
  }

  async close(): Promise<void> {
    this.#completions.close();
    await this.#drafts.close().catch((error) => this.#stage.notify(messageOf(error)));
  }

  #world(): Pick<FocusWorld, 'history' | 'project' | 'sessionId'> {
    return { history: this.history, project: this.#place.cwd, sessionId: this.#sessionId };
  }
}
