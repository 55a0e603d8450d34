import type { JsonObject } from '../../util/json.ts';
import type { Change, ViewTracker } from '../../view/changes.ts';
import type { ControlRequestFrame } from '../../wire/link/frames.ts';
import type { ExitInfo } from '../../wire/link/transport.ts';
import { layOut } from '../editor/layout.ts';
import type { InputEvent } from '../input/input-event.ts';
import { createInputReader, type InputReader } from '../input/input-reader.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import { noteRows } from '../rows/blocks/block-to-rows.ts';
import { queueRows } from '../rows/live/doing-rows.ts';
import { layOutLive, type RowsWithCaret } from '../rows/live/live-layout.ts';
import { statusRow } from '../rows/live/status-row.ts';
import { NO_COLOURS, type Row, SIXTEEN_COLOURS, type Style, toRow } from '../rows/row.ts';
import { expandTabs, safeLine, safeText } from '../rows/safe-text.ts';
import { createWidths } from '../rows/widths.ts';
import { type LiveRows, Painter } from '../screen/painter.ts';
import { reflowFamilyOf } from '../screen/reflow.ts';
import { Screen, type Size } from '../screen/screen.ts';
import { ASK_CURSOR, readReply } from '../term/probes.ts';
import type { Terminal } from '../term/terminal.ts';
import { Keyboard } from './keyboard.ts';
import { LateRows } from './late-rows.ts';
import { Prompts } from './prompt-sender.ts';
import { Questions } from './questions.ts';
import { SessionLink } from './session-link.ts';
import { SessionRows } from './session-rows.ts';
import { Notices, Spinner } from './spinner.ts';
import type { Stage } from './stage.ts';
import { knowsGraphemes, shortPath, type TuiEnd, type TuiOptions } from './tui-options.ts';
import { Writing } from './writing.ts';

/** A turn whose terminal is gone may go on for this long. */
const HANGUP_MS = 10 * 60_000;
const HANGUP_CODE = 129;
const NOBODY = 'The terminal is gone: nobody can answer.';

/** After SIGTERM the turn has this long to end. */
const GRACE_MS = 4000;
const QUIET_MS = 40;
const CURSOR_MS = 100;

/** The loop of the terminal: lines and keys come in, frames go out. */
export class App implements Stage {
  readonly tracker: ViewTracker;
  readonly #terminal: Terminal;
  readonly #notices: Notices;
  readonly #writing = new Writing();
  readonly #prompts: Prompts;
  readonly #questions: Questions;
  readonly #keyboard: Keyboard;
  readonly #options: TuiOptions;
  readonly #context: BlockContext;
  readonly #screen: Screen;
  readonly #painter: Painter;
  readonly #rows: SessionRows;
  readonly #spinner: Spinner;
  readonly #input: InputReader;
  readonly #end: (end: TuiEnd) => void;
  /** How the app ends; never rejects. */
  readonly ended: Promise<TuiEnd>;
  #link: SessionLink | null = null;
  #isLeaving = false;
  #isHungUp = false;
  #wasInterrupted = false;
  #turnListeners: (() => void)[] = [];
  #resizing: NodeJS.Timeout | null = null;
  #onCursor: ((column: number) => void) | null = null;

  constructor(options: TuiOptions) {
    const { terminal, env, tracker } = options;
    this.#options = options;
    this.#terminal = terminal;
    this.tracker = tracker;
    let end: (end: TuiEnd) => void = () => {};
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    this.#end = end;
    const widths = createWidths({ byGraphemes: knowsGraphemes(env), ambiguousWide: false });
    const late = new LateRows(() => this.#commit(this.#rows.advance(tracker.view)));
    this.#context = {
      ...{ width: Math.max(1, terminal.size.columns - 1), widths, cwd: options.cwd, colours: late.colours },
      palette: env.NO_COLOR || env.TERM === 'dumb' ? NO_COLOURS : SIXTEEN_COLOURS,
    };
    this.#screen = new Screen({ size: terminal.size, widths, family: reflowFamilyOf(env) });
    this.#painter = new Painter({
      screen: this.#screen,
      write: (bytes) => terminal.write(bytes),
      live: (size) => this.#live(size),
    });
    this.#rows = new SessionRows(this.#context, late);
    this.#notices = new Notices(() => this.#painter.soon());
    this.#spinner = new Spinner(() => this.#painter.soon(), { isCalm: env.HEDDLE_REDUCED_MOTION === '1' });
    this.#prompts = new Prompts(this, this.#writing);
    this.#questions = new Questions(this, this.#writing);
    this.#keyboard = new Keyboard(this, this.#writing, this.#prompts, this.#questions);
    const escapeMs = env.SSH_CONNECTION ? 100 : 25;
    this.#input = createInputReader({ escapeMs, onEvent: (event) => this.#onEvent(event) });
    this.#listen();
  }

  now(): number {
    return this.#options.now();
  }

  newId(): string {
    return this.#options.newId();
  }

  notify(text: string, ms?: number): void {
    this.#notices.show(text, ms);
  }

  get context(): BlockContext {
    return this.#context;
  }

  get link(): SessionLink | null {
    return this.#link;
  }

  /** Paints, takes the terminal over, opens the session. */
  async run(): Promise<TuiEnd> {
    this.#painter.now();
    try {
      const transport = await this.#options.connect((text) => this.warn(text));
      await transport.connect();
      this.#link = new SessionLink(transport, {
        newId: this.#options.newId,
        onLine: (line) => this.take(this.tracker.note(line, this.now())),
        onQuestion: (request) => this.#asked(request),
        onWithdrawn: (id) => this.#withdrawn(id),
        onClosed: (exit) => this.#closed(exit),
      });
      const answer = await this.#link.initialize();
      this.#opened(answer);
    } catch (error) {
      this.leave(1, [`heddle: ${error instanceof Error ? error.message : String(error)}`]);
    }
    return this.ended;
  }

  /**
   * SIGINT interrupts, a second one ends; SIGTERM interrupts and ends. An exception in our own code gives the terminal
   * back first: whatever happens, the person can read why.
   */
  handleSignals(source: NodeJS.Process): { dispose(): void } {
    const end = (code: number) => {
      const late = setTimeout(() => source.exit(code), GRACE_MS).unref();
      void this.#endTurn()
        .then(() => this.leave(code))
        .finally(() => clearTimeout(late));
    };
    const onInterrupt = () => (this.#wasInterrupted ? end(130) : this.#interruptFromOutside());
    const onTerminate = () => end(143);
    const onFailure = (error: unknown) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      void this.leave(1, [`heddle: ${text}`, 'The session is saved: heddle -c goes on.']);
    };
    source.on('SIGINT', onInterrupt);
    source.on('SIGTERM', onTerminate);
    source.on('uncaughtException', onFailure);
    source.on('unhandledRejection', onFailure);
    return {
      dispose() {
        source.off('SIGINT', onInterrupt);
        source.off('SIGTERM', onTerminate);
        source.off('uncaughtException', onFailure);
        source.off('unhandledRejection', onFailure);
      },
    };
  }

  #interruptFromOutside(): void {
    this.#wasInterrupted = true;
    if (this.isBusy) void this.#prompts.interrupt();
    else void this.leave(130);
  }

  /** Resolves when the turn has its result, or there is none. */
  async #endTurn(): Promise<void> {
    if (!this.isBusy) return;
    const over = new Promise<void>((resolve) => this.#turnListeners.push(resolve));
    await Promise.race([over, this.ended, this.#prompts.interrupt().then(() => over)]);
  }

  /** Draws soon: something has changed. */
  changed(): void {
    this.#spinner.turn(this.isBusy && !this.#isLeaving);
    this.#painter.soon();
  }

  get isBusy(): boolean {
    const { phase } = this.tracker.view;
    return phase === 'busy' || phase === 'compacting';
  }

  redraw(): void {
    this.#painter.redraw();
  }

  /** Rows of the terminal's own, for the scrollback. */
  print(lines: readonly string[], style: Style | null = null): void {
    const rows = lines.flatMap((line) => (line === '' ? [toRow([], this.#context.palette)] : this.#note(line, style)));
    this.#commit(rows);
    this.#rows.interrupted();
  }

  /** What would have gone to stderr. */
  warn(text: string): void {
    this.print([`! ${text.trim().replace(/^heddle: /, '')}`], 'warning');
  }

  #note(line: string, style: Style | null): Row[] {
    if (style) return noteRows(line, style, this.#context);
    return [toRow([{ text: expandTabs(safeText(line)) }], this.#context.palette)];
  }

  #commit(rows: readonly Row[]): void {
    if (this.#isLeaving) return;
    this.#painter.commit(rows);
  }

  /** Stops the process until the shell continues it. */
  async suspend(): Promise<void> {
    this.#painter.hold();
    if (this.isBusy) this.#terminal.write('The turn pauses, too; fg continues.\r\n');
    const wasStopped = await this.#terminal.suspend();
    this.#terminal.enter();
    this.#painter.resume();
    if (!wasStopped) this.#notices.show('There is no shell to go back to.');
  }

  /** Gives the terminal back, and ends the session. */
  async leave(exitCode: number, lines: readonly string[] = []): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#spinner.turn(false);
    this.#notices.clear();
    this.#questions.close();
    this.#painter.end();
    this.#input.close();
    this.#terminal.leave();
    await this.#link?.end().catch(() => null);
    this.#end({ exitCode, lines: [...lines] });
  }

  #live({ columns, rows }: Size): LiveRows {
    const { view } = this.tracker;
    const context = this.#context;
    const moment = { now: this.now(), isCalm: this.#options.env.HEDDLE_REDUCED_MOTION === '1' };
    const notice = this.#notices.text;
    return layOutLive(
      {
        doing: this.#rows.live(view, moment),
        panel: queueRows(view.queue, context),
        question: this.#questions.rows(),
        isAsked: this.#questions.isFocused,
        notice: notice === '' ? [] : noteRows(`\u258f${notice}`, 'dim', context).slice(0, 3),
        editor: this.#editorRows(),
        status: [statusRow(view, this.#keyboard.hint(), context)],
      },
      { columns, rows, more: (count) => toRow([{ text: `\u2026 ${count} more`, styles: ['dim'] }], context.palette) },
    );
  }

  #editorRows(): RowsWithCaret {
    const { palette, widths, width } = this.#context;
    const { rows, caret } = layOut(this.#writing.editor, { columns: Math.max(1, width - 3), widths, safe: safeLine });
    const mark = (index: number) => ({ text: index === 0 ? '\u276f ' : '  ', styles: ['strong'] as const });
    return {
      rows: rows.map(({ text }, index) => toRow([mark(index), { text }], palette)),
      caret: { row: caret.row, before: toRow([mark(caret.row), { text: caret.before }], palette) },
    };
  }

  take(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.type === 'notice') this.#notices.show(change.notice.text);
      if (change.type === 'done' && change.block.kind === 'result') this.#turnEnded(change.block.isError);
    }
    this.#commit(this.#rows.take(changes, this.tracker.view));
    if (changes.length > 0) this.changed();
  }

  #asked(request: ControlRequestFrame): void {
    this.take(this.tracker.asked(request, this.now()));
    if (this.#isHungUp) this.#questions.denyAll(NOBODY);
    this.#questions.changed();
  }

  #withdrawn(requestId: string): void {
    this.take(this.tracker.answered(requestId));
    this.#questions.changed();
  }

  #opened(answer: JsonObject): void {
    this.take(this.tracker.opened(answer));
    const { info } = this.tracker.view;
    const parts = [
      `heddle ${this.#options.version}`,
      info.model,
      shortPath(this.#options.cwd, this.#options.env),
      info.mode,
    ];
    this.print([parts.filter((part) => part !== '').join(' \u00b7 ')], 'dim');
    this.#prompts.opened(this.#options.prompt);
    this.changed();
  }

  #closed(exit: ExitInfo): void {
    this.take(this.tracker.closed(exit, this.now()));
    if (!this.#isLeaving) this.leave(exit.code ?? 1, exit.stderr === '' ? [] : [`heddle: ${exit.stderr}`]);
  }

  #turnEnded(isError: boolean): void {
    this.#prompts.turnEnded(isError);
    for (const listener of this.#turnListeners.splice(0)) listener();
    this.#wasInterrupted = false;
    if (this.#isHungUp) void this.leave(HANGUP_CODE);
  }

  /** Nobody looks any more: the turn is finished, questions are denials, then the process ends. */
  #hungUp(): void {
    this.#isHungUp = true;
    this.#questions.denyAll(NOBODY);
    if (!this.isBusy) void this.leave(HANGUP_CODE);
    else setTimeout(() => void this.leave(HANGUP_CODE), HANGUP_MS).unref();
  }

  #onEvent(event: InputEvent): void {
    if (this.#isLeaving) return;
    if (event.type !== 'reply') {
      this.#keyboard.take(event);
      this.#painter.now();
      return;
    }
    const reply = readReply(event.sequence);
    if (!reply) return;
    if (reply.kind === 'cursor') this.#onCursor?.(reply.column);
    else this.#terminal.replied(reply);
    if (reply.kind === 'graphemes' && reply.isOn) {
      this.#context.widths = createWidths({ byGraphemes: true, ambiguousWide: false });
      this.#screen.setWidths(this.#context.widths);
    }
  }

  #listen(): void {
    const terminal = this.#terminal;
    terminal.on('input', (bytes) => this.#input.write(bytes));
    terminal.on('drain', () => this.#painter.drained());
    terminal.on('resize', () => this.#resized());
    terminal.on('gone', () => this.#hungUp());
  }

  /** Waits until the window is quiet, and asks where the cursor has gone before anything is drawn. */
  #resized(): void {
    if (this.#resizing) clearTimeout(this.#resizing);
    this.#resizing = setTimeout(() => {
      this.#resizing = null;
      if (this.#isLeaving) return;
      const draw = (column?: number) => {
        clearTimeout(timer);
        this.#onCursor = null;
        const { size } = this.#terminal;
        this.#context.width = Math.max(1, size.columns - 1);
        this.#rows.resized();
        this.#painter.resized(size, column);
      };
      const timer = setTimeout(() => draw(), CURSOR_MS);
      this.#onCursor = draw;
      this.#terminal.write(ASK_CURSOR);
    }, QUIET_MS);
  }
}
