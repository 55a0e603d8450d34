import type { Readable, Writable } from 'node:stream';
import type { JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Change, ViewTracker } from '../../view/changes.ts';
import { createViewTracker } from '../../view/tracker.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import type { ExitInfo, Transport } from '../../wire/link/transport.ts';
import { mayOpen } from '../app/ask-trust.ts';
import { Ends, NOBODY } from '../app/ends.ts';
import { LateTyping } from '../app/late-typing.ts';
import { Prompts } from '../app/prompt-sender.ts';
import { Questions } from '../app/questions.ts';
import { changeSession } from '../app/session-change.ts';
import { startLine, type TuiEnd, type TuiOptions } from '../app/tui-options.ts';
import { Writing } from '../app/writing.ts';
import { copyText } from '../clipboard/clipboard.ts';
import type { Keymap } from '../focus/keymap.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import { printedLines } from '../rows/blocks/block-to-rows.ts';
import { NO_COLOURS, type Row, textOfRow } from '../rows/row.ts';
import { safeLine, safeText } from '../rows/safe-text.ts';
import { createWidths } from '../rows/widths.ts';
import type { Pager } from '../stage/pager.ts';
import type { Picker } from '../stage/picker.ts';
import { SessionLink } from '../stage/session-link.ts';
import type { BesidePrompt, SessionTarget, Stage } from '../stage/stage.ts';
import { readLines } from './line-input.ts';
import { PlainLists } from './plain-lists.ts';
import { PlainPager } from './plain-pager.ts';

import { PlainQuestion } from './plain-question.ts';
import { PlainRows } from './plain-rows.ts';

export type PlainOptions = Omit<TuiOptions, 'terminal' | 'tracker'> & {
  input: Readable;
  output: Writable & { columns?: number };
  /** Why the terminal is plain, for its first line. */
  reason: string;
};

/** Marks that a screen reader may pass over. */
const WORDS: Readonly<Record<string, string>> = { '\u2713': 'done:', '\u2717': 'note:', '!': 'warning:' };

function inWords(line: string): string {
  return line.replace(/^[\u2713\u2717!] (?=\S)/u, (mark) => `${WORDS[mark[0] ?? ''] ?? ''} `);
}

const HEADINGS = {
  ...{ permission: 'Permission required:', plan: 'Plan:', choices: 'Question:', elicitation: 'Form:' },
  own: 'Trust:',
} as const;

const USUAL_COLUMNS = 80;
/** What a command prints stands above the mark of the next line. */
const READY_MS = 120;

/**
 * The terminal for screen readers, Emacs shells and terminals that cannot move the cursor: lines are added at the end and
 * never changed, nothing turns, menus have numbers. It is the same host as the drawn terminal, with the same commands.
 */
export class PlainApp implements Stage {
  tracker: ViewTracker = createViewTracker();
  readonly place: Stage['place'];
  readonly look = { loaded: null };
  readonly vim = { mode: null, use: () => this.notify('In plain mode the terminal itself edits lines.') };
  readonly context: BlockContext;
  readonly ended: Promise<TuiEnd>;
  link: SessionLink | null = null;
  readonly #options: PlainOptions;
  readonly #writing = new Writing();
  readonly #typing: LateTyping;
  readonly #prompts: Prompts;
  readonly #questions: Questions;
  readonly #asked: PlainQuestion;
  readonly #ends: Ends;
  readonly #pager: PlainPager;
  readonly #lists: PlainLists;
  #rows: PlainRows;
  #draft = '';
  #hasEnded = false;
  #hasPrompt = false;
  #readyTimer: NodeJS.Timeout | null = null;
  #isLeaving = false;
  #lines: { close(): void } | null = null;
  readonly #end: (end: TuiEnd) => void;

  constructor(options: PlainOptions) {
    this.#options = options;
    this.place = options;
    let end: (end: TuiEnd) => void = () => {};
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    this.#end = end;
    const widths = createWidths({ byGraphemes: false, ambiguousWide: false });
    this.context = { width: this.#columns(), widths, cwd: options.cwd, colours: () => null, palette: NO_COLOURS };
    this.#rows = new PlainRows(this.context);
    this.#typing = new LateTyping({ ...options, platform: process.platform }, this, this.#writing);
    this.#prompts = new Prompts(this, this.#writing, this.#typing);
    this.#questions = new Questions(this, this.#writing, options.env);
    const heading = () => HEADINGS[this.tracker.view.questions[0]?.kind ?? 'own'];
    this.#asked = new PlainQuestion(this.#questions, () => this.#columns(), heading);
    this.#lists = new PlainLists(this, { columns: () => this.#columns(), print: (lines) => this.#write(lines) });
    this.#pager = new PlainPager(this, () => this.#columns());
    const report = options.report ?? ((error: unknown) => [`heddle: ${messageOf(error)}`]);
    this.#ends = new Ends({
      stage: this,
      prompts: this.#prompts,
      questions: this.#questions,
      writing: this.#writing,
      ended: this.ended,
      report,
    });
  }

  /** Opens the session, and reads lines until the person leaves. */
  async run(): Promise<TuiEnd> {
    const { input, trust, isContinued, prompt, command, reason } = this.#options;
    this.#write([
      `Plain mode: ${reason}. /help lists commands; ctrl+c interrupts, or leaves when nothing runs; /exit leaves.`,
    ]);
    this.#lines = readLines(input, {
      onLine: (text, { isPaste }) => this.#took(text, isPaste),
      onEnd: () => this.#inputEnded(),
    });
    try {
      if (!(await mayOpen(trust, this, this.#questions))) return this.ended;
      await this.#connect();
      if (isContinued) await this.#prompts.showEarlier();
      this.#prompts.opened(prompt);
      if (command !== undefined) this.command(command);
      this.#ready();
    } catch (error) {
      await this.leave(1, [`heddle: ${messageOf(error)}`]);
    }
    return this.ended;
  }

  handleSignals(source: NodeJS.Process): { dispose(): void } {
    return this.#ends.handleSignals(source);
  }

  now(): number {
    return this.#options.now();
  }

  newId(): string {
    return this.#options.newId();
  }

  get isBusy(): boolean {
    const { phase } = this.tracker.view;
    return phase === 'busy' || phase === 'compacting';
  }

  get keymap(): Keymap {
    return this.#typing.keymap;
  }

  async call(request: ControlBody): Promise<JsonObject> {
    if (!this.link) throw new Error('The session is not open yet.');
    return this.link.call(request);
  }

  take(changes: readonly Change[]): void {
    const lines = this.#rows.take(changes, this.tracker.view.live);
    if (lines.length > 0) this.#write(lines);
    for (const change of changes) {
      if (change.type === 'notice') this.notify(change.notice.text);
      if (change.type === 'done' && change.block.kind === 'result') {
        this.#prompts.turnEnded(change.block.isError);
        this.#ends.turnEnded();
        this.#ring();
        if (this.#hasEnded) this.#prompts.leaveNow();
      }
    }
    if (changes.length > 0) this.changed();
  }

  changed(): void {
    if (this.#isLeaving) return;
    this.#prompts.changed();
    if (this.isBusy) this.#questions.prefetch();
    this.#takeDraft();
    this.#pager.changed();
    this.#lists.changed();
    if (this.#questions.isOpen && !this.#questions.isFocused) this.#writing.focus('question');
    const asked = this.#asked.news(this.now());
    if (asked.length > 0) {
      this.#write(asked);
      this.#ring();
    }
    if (!this.isBusy && this.link) this.#ready();
  }

  redraw(): void {}

  print(lines: readonly string[], _style?: unknown): void {
    this.printRows(printedLines(lines, null, this.context));
  }

  printRows(rows: readonly Row[]): void {
    this.#write(rows.map((row) => inWords(textOfRow(row))));
  }

  copy(text: string): Promise<string> {
    const { env, output } = this.#options;
    return copyText(text, { env, platform: process.platform, write: (bytes) => output.write(bytes) });
  }

  notify(text: string): void {
    this.#write([`note: ${safeLine(text)}`]);
  }

  submit(text: string): void {
    this.#prompts.submit({ text, images: [] }, this.isBusy ? 'next' : undefined);
  }

  command(text: string): void {
    this.#prompts.command(text);
  }

  pick(picker: Picker): void {
    this.#lists.open(picker);
  }

  stopPicking(): void {
    this.#lists.forget();
  }

  page(pager: Pager): { stop(): void } {
    return this.#pager.open(pager);
  }

  lend<Value>(use: () => Promise<Value>): Promise<Value> {
    return use();
  }

  draft(text: string): void {
    this.#draft = text;
    if (text !== '')
      this.#write([`draft: ${safeLine(text)}`, 'An empty line sends it; other text is sent instead of it.']);
  }

  draftBeside(text: string, beside: BesidePrompt): void {
    this.#prompts.draftBeside(text, beside);
  }

  async suspend(): Promise<void> {
    process.kill(process.pid, 'SIGTSTP');
  }

  async openSession(target: SessionTarget): Promise<void> {
    const before = { link: this.link, isBusy: this.isBusy, sessionId: this.tracker.view.info.sessionId };
    this.link = null;
    this.#prompts.closed();
    const open = async (each: SessionTarget | undefined) => {
      this.tracker = createViewTracker();
      this.#rows = new PlainRows(this.context);
      this.#questions.changed();
      await this.#connect(each);
    };
    await changeSession(before, target, open).finally(() => this.#prompts.opened(undefined));
  }

  async leave(exitCode: number, lines: readonly string[] = []): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#lines?.close();
    if (this.#readyTimer) clearTimeout(this.#readyTimer);
    this.#questions.close();
    await this.link?.end().catch(() => null);
    this.#end({ exitCode, lines: [...lines] });
  }

  async #connect(target?: SessionTarget): Promise<void> {
    const transport: Transport = await this.#options.connect(
      (text) => this.#write([`warning: ${text.trim()}`]),
      target,
    );
    await transport.connect();
    const link: SessionLink = new SessionLink(transport, {
      newId: this.#options.newId,
      onLine: (line) => this.take(this.tracker.note(line, this.now())),
      onQuestion: (request) => {
        this.take(this.tracker.asked(request, this.now()));
        if (this.#hasEnded) this.#questions.denyAll(NOBODY);
        this.#questions.changed();
      },
      onWithdrawn: (id, by) => {
        this.#questions.withdrawn(id, this.#prompts.withdraws, by);
        this.take(this.tracker.answered(id, this.now()));
        this.#questions.changed();
      },
      onClosed: (exit) => this.link === link && this.#closed(exit),
    });
    this.link = link;
    const answer = await link.initialize();
    this.take(this.tracker.opened(target ? { ...answer, session_id: target.resume } : answer));
    this.#write([startLine(this.#options, this.tracker.view.info)]);
  }

  #closed(exit: ExitInfo): void {
    this.take(this.tracker.closed(exit, this.now()));
    void this.leave(exit.code ?? 1, exit.stderr === '' ? [] : [`heddle: ${exit.stderr}`]);
  }

  /** A line, or several at once. */
  #took(text: string, isPaste: boolean): void {
    this.#hasPrompt = false;
    if (this.#isLeaving) return;
    if (this.#lists.isOpen && !isPaste && !/^\/[a-z]/.test(text)) this.#lists.take(text);
    else if (this.#questions.isOpen && !text.startsWith('/')) this.#answerLine(text, isPaste);
    else this.#send(text);
    this.changed();
  }

  #answerLine(text: string, isPaste: boolean): void {
    if (isPaste) {
      this.#write(['Several lines are no answer.']);
      return;
    }
    const { why } = this.#asked.take(text, this.now());
    if (why !== undefined) this.#write([why]);
  }

  #send(text: string): void {
    this.#lists.close();
    const prompt = text.trim() === '' ? this.#draft : text;
    this.#draft = '';
    if (prompt.trim() === '') return;
    if (this.isBusy && !/^[/!]/.test(prompt)) this.#write(['note: the prompt joins the turn after the present round']);
    this.submit(prompt);
  }

  /** Prompts that came back, or a text that a list has put there. */
  #takeDraft(): void {
    const { text } = this.#writing.editor;
    if (text === '') return;
    this.#writing.draft('');
    this.draft(text);
  }

  /** No more lines come: what runs ends, and nobody can answer. */
  #inputEnded(): void {
    if (!this.isBusy) {
      this.#prompts.leaveNow();
      return;
    }
    this.#hasEnded = true;
    this.#questions.denyAll(NOBODY);
  }

  /** The mark of the line where the person types, once nothing more is printed. */
  #ready(): void {
    if (this.#readyTimer) clearTimeout(this.#readyTimer);
    this.#readyTimer = setTimeout(() => {
      const isAsked = this.#lists.isOpen || this.#questions.isOpen;
      if (this.#hasPrompt || this.#isLeaving || isAsked || this.isBusy || !this.link) return;
      this.#hasPrompt = true;
      this.#options.output.write('> ');
    }, READY_MS);
  }

  #write(lines: readonly string[]): void {
    if (this.#isLeaving) return;
    const { output } = this.#options;
    const start = this.#hasPrompt ? '\n' : '';
    this.#hasPrompt = false;
    // The name of a folder, or what the session says on stderr, may contain sequences of a terminal.
    output.write(`${start}${lines.map(safeText).join('\n')}\n`);
  }

  /** Emacs and its like print the character. */
  #ring(): void {
    if (this.#options.env.TERM !== 'dumb') this.#options.output.write('\x07');
  }

  #columns(): number {
    return Math.max(20, this.#options.output.columns || USUAL_COLUMNS) - 1;
  }
}
