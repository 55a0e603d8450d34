import type { JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Change, ViewTracker } from '../../view/changes.ts';
import { createViewTracker } from '../../view/tracker.ts';
import type { ControlRequestFrame } from '../../wire/link/frames.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import type { ExitInfo } from '../../wire/link/transport.ts';
import { copyText } from '../clipboard/clipboard.ts';
import type { Keymap } from '../focus/keymap.ts';
import type { InputEvent } from '../input/input-event.ts';
import { createInputReader, type InputReader } from '../input/input-reader.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import { printedLines } from '../rows/blocks/block-to-rows.ts';
import { colourLevel } from '../rows/colour-level.ts';
import { NO_COLOURS, type Row, SIXTEEN_COLOURS, type Style } from '../rows/row.ts';
import { createWidths } from '../rows/widths.ts';
import { OtherScreen } from '../screen/other-screen.ts';
import { type LiveRows, Painter } from '../screen/painter.ts';
import { reflowFamilyOf } from '../screen/reflow.ts';
import { Screen, type Size } from '../screen/screen.ts';
import type { Pager } from '../stage/pager.ts';
import type { Picker } from '../stage/picker.ts';
import { SessionLink } from '../stage/session-link.ts';
import type { BesidePrompt, SessionTarget, Stage } from '../stage/stage.ts';
import type { Terminal } from '../term/terminal.ts';
import { mayOpen } from './ask-trust.ts';
import { Ends, NOBODY } from './ends.ts';
import { Keyboard } from './keyboard.ts';
import { LateLook } from './late-look.ts';
import { LateRows } from './late-rows.ts';
import { LateTyping } from './late-typing.ts';
import { liveRows } from './live-rows.ts';
import { Overlay } from './overlay.ts';
import { Prompts } from './prompt-sender.ts';
import { Questions } from './questions.ts';
import { changeSession } from './session-change.ts';
import { SessionRows } from './session-rows.ts';
import { Notices, Spinner } from './spinner.ts';
import { TerminalReplies } from './terminal-replies.ts';
import { knowsGraphemes, startLine, type TuiEnd, type TuiOptions } from './tui-options.ts';
import { VimSwitch } from './vim-switch.ts';
import { WindowSize } from './window-size.ts';
import { Writing } from './writing.ts';

/** The loop of the terminal: lines and keys come in, frames go out. */
export class App implements Stage {
  tracker: ViewTracker;
  readonly place: Stage['place'];
  readonly #terminal: Terminal;
  readonly #notices: Notices;
  readonly #writing = new Writing();
  readonly #typing: LateTyping;
  readonly #prompts: Prompts;
  readonly #questions: Questions;
  readonly #keyboard: Keyboard;
  readonly #overlay: Overlay;
  readonly #ends: Ends;
  readonly #options: TuiOptions;
  readonly context: BlockContext;
  readonly #screen: Screen;
  readonly #painter: Painter;
  #rows: SessionRows;
  readonly #late: LateRows;
  readonly look: LateLook;
  readonly vim: VimSwitch;
  readonly #replies: TerminalReplies;
  readonly #spinner: Spinner;
  readonly #input: InputReader;
  readonly #window: WindowSize;
  readonly #end: (end: TuiEnd) => void;
  /** How the app ends; never rejects. */
  readonly ended: Promise<TuiEnd>;
  link: SessionLink | null = null;
  #isLeaving = false;

  constructor(options: TuiOptions) {
    const { terminal, env, tracker } = options;
    this.#options = options;
    this.place = options;
    this.#terminal = terminal;
    this.tracker = tracker;
    let end: (end: TuiEnd) => void = () => {};
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    this.#end = end;
    const usualWidths = { byGraphemes: knowsGraphemes(env), ambiguousWide: false };
    const widths = createWidths(usualWidths);
    this.#late = new LateRows(() => this.take([{ type: 'live' }]));
    this.context = {
      ...{ width: Math.max(1, terminal.size.columns - 1), widths, cwd: options.cwd, colours: this.#late.colours },
      palette: colourLevel(env) === 'none' ? NO_COLOURS : SIXTEEN_COLOURS,
    };
    this.#screen = new Screen({ size: terminal.size, widths, family: reflowFamilyOf(env) });
    this.#painter = new Painter({
      screen: this.#screen,
      write: (bytes) => terminal.write(bytes),
      live: (size) => this.#live(size),
    });
    this.#rows = new SessionRows(this.context, this.#late);
    this.#notices = new Notices(() => this.#painter.soon());
    this.#spinner = new Spinner(() => this.#painter.soon());
    this.#typing = new LateTyping({ ...options, platform: process.platform }, this, this.#writing);
    this.#prompts = new Prompts(this, this.#writing, this.#typing);
    this.#questions = new Questions(this, this.#writing, env);
    const report = options.report ?? ((error: unknown) => [`heddle: ${messageOf(error)}`]);
    this.#ends = new Ends({
      ...{ stage: this, prompts: this.#prompts, questions: this.#questions, writing: this.#writing },
      ...{ ended: this.ended, report, isGuest: options.isGuest },
    });
    this.#overlay = new Overlay({
      ...{ terminal, painter: this.#painter, writing: this.#writing },
      otherScreen: () => new OtherScreen(this.context.widths),
      onClosed: () => this.#questions.paintAgain(),
    });
    this.vim = new VimSwitch(this.#typing, this.#writing);
    this.#keyboard = new Keyboard({
      ...{ stage: this, writing: this.#writing, typing: this.#typing, vim: this.vim },
      ...{ prompts: this.#prompts, questions: this.#questions, overlay: this.#overlay },
    });
    this.#window = new WindowSize(terminal, (column) => this.#draw(column));
    this.look = new LateLook({ stage: this, terminal, env });
    const { context, look } = this;
    const parts = { terminal, context, look, screen: this.#screen, window: this.#window };
    this.#replies = new TerminalReplies(parts, usualWidths);
    const escapeMs = env.SSH_CONNECTION ? 100 : 25;
    const guessesPastes = /^(?:linux|vt\d|cons25|ansi)/.test(env.TERM ?? '');
    this.#input = createInputReader({ escapeMs, guessesPastes, onEvent: (event) => this.#onEvent(event) });
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

  /** Paints, takes the terminal over, opens the session. */
  async run(): Promise<TuiEnd> {
    this.#painter.now();
    const loading = Promise.all([this.#typing.load(), this.look.load()]);
    try {
      if (!(await mayOpen(this.#options.trust, this, this.#questions))) return this.ended;
      await this.#connect(undefined, loading);
      if (this.#options.isContinued) await this.#prompts.showEarlier();
      this.#prompts.opened(this.#options.prompt);
      if (this.#options.command !== undefined) this.command(this.#options.command);
    } catch (error) {
      this.leave(1, [`heddle: ${messageOf(error)}`]);
    }
    return this.ended;
  }

  async #connect(target?: SessionTarget, ready?: Promise<unknown>): Promise<void> {
    const transport = await this.#options.connect((text) => this.warn(text), target);
    await transport.connect();
    const link: SessionLink = new SessionLink(transport, {
      newId: this.#options.newId,
      onLine: (line) => this.#note(line),
      onQuestion: (request) => this.#asked(request),
      onWithdrawn: (id, by) => this.#withdrawn(id, by),
      onClosed: (exit) => this.link === link && this.#closed(exit),
    });
    this.link = link;
    const answer = await link.initialize();
    await ready;
    if (target) this.#typing.loaded?.noteSession(target.resume);
    this.#opened(target ? { ...answer, session_id: target.resume } : answer);
  }

  async openSession(target: SessionTarget): Promise<void> {
    const before = { link: this.link, isBusy: this.isBusy, sessionId: this.tracker.view.info.sessionId };
    this.link = null;
    this.#prompts.closed();
    await changeSession(before, target, (each) => this.#openAnew(each)).finally(() => this.#prompts.opened(undefined));
  }

  async #openAnew(target: SessionTarget | undefined): Promise<void> {
    this.tracker = createViewTracker();
    this.#rows = new SessionRows(this.context, this.#late);
    this.#questions.changed();
    await this.#connect(target);
  }

  handleSignals(source: NodeJS.Process): { dispose(): void } {
    return this.#ends.handleSignals(source);
  }

  changed(): void {
    this.#typing.loaded?.noteDraft();
    this.#prompts.changed();
    this.look.loaded?.update();
    this.#spinner.turn({ isBusy: this.isBusy && !this.#isLeaving, isCalm: this.look.isCalm });
    if (this.isBusy) this.#questions.prefetch();
    this.#painter.soon();
    this.#overlay.soon();
  }

  get isBusy(): boolean {
    const { phase } = this.tracker.view;
    return phase === 'busy' || phase === 'compacting';
  }

  get keymap(): Keymap {
    return this.#typing.keymap;
  }

  redraw(): void {
    this.#painter.redraw();
  }

  async call(request: ControlBody): Promise<JsonObject> {
    if (!this.link) throw new Error('The session is not open yet.');
    return this.link.call(request);
  }

  pick(picker: Picker): void {
    this.#overlay.pick(picker);
  }

  stopPicking(): void {
    this.#overlay.stopPicking();
  }

  page(pager: Pager): { stop(): void } {
    return this.#overlay.page(pager);
  }

  lend<Value>(use: () => Promise<Value>): Promise<Value> {
    return this.#overlay.lend(use);
  }

  draft(text: string): void {
    this.#writing.draft(text);
    this.changed();
  }

  draftBeside(text: string, beside: BesidePrompt): void {
    this.#prompts.draftBeside(text, beside);
  }

  print(lines: readonly string[], style: Style | null = null): void {
    this.printRows(printedLines(lines, style, this.context));
  }

  printRows(rows: readonly Row[]): void {
    this.#commit(rows);
    this.#rows.interrupted();
  }

  copy(text: string): Promise<string> {
    const { env } = this.#options;
    return copyText(text, { env, platform: process.platform, write: (bytes) => this.#terminal.write(bytes) });
  }

  submit(text: string): void {
    this.#prompts.submit({ text, images: [] }, this.isBusy ? 'next' : undefined);
  }

  command(text: string): void {
    this.#prompts.command(text);
  }

  /** What would have gone to stderr. */
  warn(text: string): void {
    this.print([`! ${text.trim().replace(/^heddle: /, '')}`], 'warning');
  }

  #commit(rows: readonly Row[]): void {
    if (this.#isLeaving) return;
    this.#painter.commit(rows);
  }

  /** Stops the process until the shell continues it. */
  async suspend(): Promise<void> {
    if (!(await this.#overlay.suspend(this))) this.#notices.show('There is no shell to go back to.');
    this.#draw();
  }

  async leave(exitCode: number, lines: readonly string[] = []): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#giveBack();
    await this.#typing.loaded?.close();
    await this.link?.end().catch(() => null);
    this.#end({ exitCode, lines: [...lines] });
  }

  /** Whatever happens here, the terminal gets its modes back. */
  #giveBack(): void {
    try {
      this.#spinner.turn({ isBusy: false, isCalm: true });
      this.#window.close();
      this.#notices.clear();
      this.#questions.close();
      this.#overlay.end();
      this.look.close();
      this.#painter.end();
    } catch (error) {
      this.#ends.failedToDraw(error);
    } finally {
      this.#input.close();
      this.#terminal.leave();
    }
  }

  #live(size: Size): LiveRows {
    const own = { stage: this, rows: this.#rows, writing: this.#writing, typing: this.#typing, prompts: this.#prompts };
    const asked = { questions: this.#questions, overlay: this.#overlay, keyboard: this.#keyboard, look: this.look };
    return liveRows({ ...own, ...asked, notice: this.#notices.text, isCalm: this.look.isCalm }, size);
  }

  #note(line: JsonObject): void {
    this.take(this.tracker.note(line, this.now()));
    if (line.subtype === 'input_error') this.#prompts.refused(String(line.input_uuid));
    if (typeof line.session_id === 'string') this.#typing.loaded?.noteSession(line.session_id);
  }

  take(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.type === 'notice') this.#notices.show(change.notice.text);
      if (change.type === 'done' && change.block.kind === 'result') this.#turnEnded(change.block.isError);
    }
    this.#commit(this.#rows.take(changes, this.tracker.view));
    this.look.loaded?.saw(changes);
    if (changes.length > 0) this.changed();
  }

  #asked(request: ControlRequestFrame): void {
    this.take(this.tracker.asked(request, this.now()));
    if (this.#ends.isHungUp) this.#questions.denyAll(NOBODY);
    this.#questions.changed();
  }

  #withdrawn(requestId: string, answeredBy: string | null): void {
    this.#questions.withdrawn(requestId, this.#prompts.withdraws, answeredBy);
    this.take(this.tracker.answered(requestId, this.now()));
    this.#questions.changed();
  }

  #opened(answer: JsonObject): void {
    this.take(this.tracker.opened(answer));
    this.print([startLine(this.#options, this.tracker.view.info)], 'dim');
    void this.#typing.loaded?.opened().then((settings) => this.#replies.useSettings(settings));
    this.look.loaded?.opened();
    this.changed();
  }

  #closed(exit: ExitInfo): void {
    this.take(this.tracker.closed(exit, this.now()));
    if (!this.#isLeaving) this.leave(exit.code ?? 1, exit.stderr === '' ? [] : [`heddle: ${exit.stderr}`]);
  }

  #turnEnded(isError: boolean): void {
    this.#prompts.turnEnded(isError);
    this.#ends.turnEnded();
  }

  #onEvent(event: InputEvent): void {
    if (this.#isLeaving) return;
    if (event.type === 'reply') this.#replies.take(event.sequence);
    else {
      this.#keyboard.take(event);
      this.#painter.now();
    }
  }

  #listen(): void {
    const terminal = this.#terminal;
    terminal.on('input', (bytes) => this.#input.write(bytes));
    terminal.on('drain', () => this.#painter.drained());
    terminal.on('resize', () => this.#window.changed());
    terminal.on('stopping', () => void this.suspend());
    terminal.on('returned', () => this.#returned());
    terminal.on('gone', () => this.#ends.hungUp());
  }

  /** The window may have another size; `column` is where the cursor is now, where the terminal tells it. */
  #draw(column?: number): void {
    if (this.#isLeaving) return;
    const { size } = this.#terminal;
    this.context.width = Math.max(1, size.columns - 1);
    this.look.loaded?.update();
    this.#rows.resized();
    this.#painter.resized(size, column);
    this.#overlay.draw();
  }

  /** Something has stopped and continued this process without our doing: what stands above is not ours any more. */
  #returned(): void {
    this.#painter.anew();
    this.#draw();
  }
}
