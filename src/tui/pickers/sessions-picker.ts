import { type RunningSession, runningSessions } from '../../sdk/stored/running-sessions.ts';
import {
  archiveSession,
  deleteSession,
  forkSession,
  getSessionBranches,
  getSessionMessages,
  listSessions,
  renameSession,
  type SDKSessionInfo,
  unarchiveSession,
} from '../../sdk/stored/sessions.ts';
import { isObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Row } from '../rows/row.ts';
import type { Stage } from '../stage/stage.ts';
import { askChoice } from './ask-choice.ts';
import { goToSession } from './go-to-session.ts';
import { belowRow, LinePicker, ListPicker } from './list-picker.ts';
import { itemSpans, type SessionSizes, type StoredItem, titleOf } from './stored-session-item.ts';

const SCOPES = ['directory', 'worktrees', 'all'] as const;
type Scope = (typeof SCOPES)[number];
const NAMES: Readonly<Record<Scope, string>> = {
  directory: 'Sessions of this directory',
  worktrees: 'Sessions of this repository',
  all: 'All sessions',
};

/** The first rows are those of the newest; the others follow in pieces, so that keys get through. */
const FIRST = 60;
const PIECE = 1000;
/** Larger files are not read for a number in a list. */
const MOST_READ = 4_000_000;
const HINT =
  'enter goes on \u00b7 tab scope \u00b7 ctrl+p preview \u00b7 ctrl+r rename \u00b7 ctrl+f fork \u00b7 ctrl+a archive \u00b7 ctrl+d trash \u00b7 ctrl+t tree \u00b7 ctrl+e more';

/** The list of stored sessions. It shows what is known, and fills up. */
export class SessionsPicker {
  readonly #stage: Stage;
  readonly #list: ListPicker<StoredItem>;
  readonly #sizes = new Map<string, SessionSizes | null>();
  readonly #previews = new Map<string, readonly string[]>();
  #running = new Map<string, RunningSession>();
  #items: StoredItem[] = [];
  #scope: Scope = 'directory';
  /** Also those that are archived, and those without a message. */
  #showsAll = false;
  #showsPreview = false;
  #isReading = false;
  /** Counts the listings: one that is overtaken by another adds nothing. */
  #listing = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#list = new ListPicker<StoredItem>({
      title: () => NAMES[this.#scope],
      hint: HINT,
      empty: 'no session here; tab looks elsewhere',
      screen: () => stage.context,
      spans: (item) => this.#spans(item),
      words: (item) => `${titleOf(item)} ${item.info.gitBranch ?? ''} ${item.info.tag ?? ''} ${item.info.sessionId}`,
      choose: (item) => this.#goOn(item),
      key: (key, item) => this.#key(key, item),
      below: (item, most) => this.#preview(item, most),
      closed: () => {
        this.#listing++;
      },
    });
  }

  async open(): Promise<void> {
    this.#stage.pick(this.#list);
    await this.#read();
  }

  get #place(): { home?: string } {
    const { home } = this.#stage.place;
    return home === null ? {} : { home };
  }

  async #read(): Promise<void> {
    const listing = ++this.#listing;
    const where = this.#scope === 'all' ? {} : { dir: this.#stage.place.cwd };
    const options = { ...this.#place, ...where, includeWorktrees: this.#scope === 'worktrees' };
    this.#running = new Map(runningSessions(this.#place).map((each) => [each.sessionId, each]));
    const found: SDKSessionInfo[] = [];
    try {
      for (let limit = FIRST; ; limit = PIECE) {
        const more = await listSessions({ ...options, offset: found.length, limit });
        if (listing !== this.#listing) return;
        found.push(...more);
        this.#use(found);
        if (more.length < limit) return;
        await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      this.#stage.notify(messageOf(error));
    }
  }

  #use(found: readonly SDKSessionInfo[]): void {
    const here = this.#stage.tracker.view.info.sessionId;
    const shown = found.filter(({ archived, summary }) => this.#showsAll || (archived !== true && summary !== ''));
    const known = new Map(this.#items.map((item) => [item.info.sessionId, item]));
    const items = shown.map((info) => {
      const before = known.get(info.sessionId);
      if (before?.info === info) return before;
      const isHere = info.sessionId === here;
      return { info, running: isHere ? null : (this.#running.get(info.sessionId) ?? null), isHere };
    });
    this.#items = [...items.filter(({ running }) => running), ...items.filter(({ running }) => !running)];
    const at = this.#items.find(({ info }) => info.sessionId === this.#list.selected?.info.sessionId);
    this.#list.use(this.#items, at);
    this.#stage.changed();
  }

  #spans(item: StoredItem) {
    const { context } = this.#stage;
    const { sessionId, fileSize = 0 } = item.info;
    if (!this.#sizes.has(sessionId) && fileSize <= MOST_READ) void this.#measure(sessionId);
    return itemSpans(item, {
      ...{ columns: context.width, widths: context.widths, now: this.#stage.now() },
      ...{ sizes: this.#sizes.get(sessionId) ?? null, withPlace: this.#scope !== 'directory' },
    });
  }

  /** Turns and branches of one session that is seen; the next one follows with the next drawing. */
  async #measure(sessionId: string): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const all = await getSessionBranches(sessionId, this.#place).catch(() => []);
    const active = all.find(({ active }) => active) ?? all.at(-1);
    this.#sizes.set(sessionId, active ? { turns: active.turns ?? 0, branches: all.length } : null);
    this.#isReading = false;
    this.#stage.changed();
  }

  #key(key: string, item: StoredItem | null): boolean {
    if (key === 'tab' || key === 'shift+tab') this.#nextScope(key === 'tab' ? 1 : 2);
    else if (key === 'ctrl+e') this.#toggleAll();
    else if (key === 'ctrl+p') this.#showsPreview = !this.#showsPreview;
    else if (!item) return false;
    else if (key === 'ctrl+r') this.#rename(item);
    else if (key === 'ctrl+f') void this.#fork(item);
    else if (key === 'ctrl+a') void this.#archive(item);
    else if (key === 'ctrl+d') this.#trash(item);
    else if (key === 'ctrl+t') this.#tree(item);
    else return false;
    return true;
  }

  #nextScope(by: number): void {
    this.#scope = SCOPES[(SCOPES.indexOf(this.#scope) + by) % SCOPES.length] ?? 'directory';
    void this.#read();
  }

  #toggleAll(): void {
    this.#showsAll = !this.#showsAll;
    void this.#read();
  }

  #goOn(item: StoredItem): void {
    const { running } = item;
    if (item.isHere) {
      this.#stage.stopPicking();
      this.#stage.notify('You are in this session.');
    } else if (!running) this.#switchTo(item.info);
    else {
      askChoice(
        this.#stage,
        `It runs in process ${running.pid} on ${running.host}: only one process writes to a session`,
        [
          { text: 'Leave it alone', run: () => void this.open() },
          { text: 'Fork it and go on in the copy', run: () => void this.#fork(item) },
        ],
      );
    }
  }

  async #fork({ info }: StoredItem): Promise<void> {
    try {
      const { sessionId } = await forkSession(info.sessionId, this.#place);
      this.#switchTo(info, { id: sessionId });
    } catch (error) {
      this.#stage.notify(messageOf(error));
    }
  }

  #switchTo(
    { sessionId, cwd }: SDKSessionInfo,
    { id = sessionId, then = () => {} }: { id?: string; then?: () => void } = {},
  ): void {
    this.#stage.stopPicking();
    this.#listing++;
    goToSession(this.#stage, { resume: id, ...(cwd !== undefined && { cwd }) }, then);
  }

  #tree(item: StoredItem): void {
    const then = () => this.#stage.command('/tree');
    if (!item.isHere) this.#switchTo(item.info, { then });
    else {
      this.#stage.stopPicking();
      then();
    }
  }

  #rename(item: StoredItem): void {
    const about = { title: 'Title:', text: item.info.customTitle ?? '', screen: () => this.#stage.context };
    this.#stage.pick(
      new LinePicker(about, (title) => {
        const done = title ? this.#saveTitle(item, title) : Promise.resolve();
        void this.#after(done);
      }),
    );
  }

  async #saveTitle({ info, isHere }: StoredItem, title: string): Promise<void> {
    if (isHere) await this.#stage.call({ subtype: 'rename_session', title });
    else await renameSession(info.sessionId, title, this.#place);
  }

  async #archive({ info }: StoredItem): Promise<void> {
    const change = info.archived === true ? unarchiveSession : archiveSession;
    await this.#after(change(info.sessionId, this.#place));
  }

  #trash(item: StoredItem): void {
    const back = () => void this.open();
    if (item.isHere) {
      this.#stage.notify('The session that is open cannot go to the trash.');
      return;
    }
    askChoice(
      this.#stage,
      `Move \u201c${titleOf(item)}\u201d to the trash?`,
      [
        { text: 'No', run: back },
        {
          text: 'Yes',
          detail: 'heddle sessions restore brings it back',
          run: () => void this.#after(deleteSession(item.info.sessionId, this.#place)),
        },
      ],
      back,
    );
  }

  /** The list again, as it is now. */
  async #after(change: Promise<unknown>): Promise<void> {
    try {
      await change;
    } catch (error) {
      this.#stage.notify(messageOf(error));
    }
    await this.open();
  }

  #preview(item: StoredItem | null, most: number): readonly Row[] {
    if (!this.#showsPreview || !item) return [];
    const { sessionId } = item.info;
    const lines = this.#previews.get(sessionId);
    if (!lines) void this.#readPreview(sessionId);
    return (lines ?? ['reading \u2026']).slice(-most).map((line) => belowRow(line, this.#stage.context));
  }

  /** The last texts of its active branch. */
  async #readPreview(sessionId: string): Promise<void> {
    this.#previews.set(sessionId, ['reading \u2026']);
    const messages = await getSessionMessages(sessionId, this.#place).catch(() => []);
    const lines = messages.slice(-12).flatMap(({ type, message }) => {
      const content = isObject(message) ? message.content : null;
      const text = typeof content === 'string' ? content : Array.isArray(content) ? textsIn(content) : '';
      const [first, ...rest] = text.trim().split('\n').slice(0, 6);
      return first ? [`${type === 'user' ? '\u276f ' : ''}${first}`, ...rest] : [];
    });
    this.#previews.set(sessionId, lines.length > 0 ? lines : ['nothing was said']);
    this.#stage.changed();
  }
}

function textsIn(content: readonly unknown[]): string {
  return content.flatMap((block) => (isObject(block) && typeof block.text === 'string' ? [block.text] : [])).join('\n');
}
