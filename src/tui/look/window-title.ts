import { basename } from 'node:path';
import { cutText } from '../../util/text/cut-text.ts';
import type { View } from '../../view/view.ts';
import { safeLine } from '../rows/safe-text.ts';
import type { Terminal } from '../term/terminal.ts';
import { hasProgress, hasTitle, NO_PROGRESS, POP_TITLE, PUSH_TITLE } from '../term/window-features.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Shown = Pick<View, 'phase' | 'questions'> & { readonly info: Pick<View['info'], 'title' | 'cwd'> };

const MOST_CHARS = 80;
/** Some terminals forget a progress that is not told again. */
const AGAIN_MS = 5000;
const BUSY = '\x1b]9;4;3\x07';
const ASKING = '\x1b]9;4;4;100\x07';

/** The title of the window, and the progress of its tab: what the session is, and whether it works or asks. */
export class WindowTitle {
  readonly #terminal: Pick<Terminal, 'keep'>;
  readonly #can: { readonly title: boolean; readonly progress: boolean };
  #wants = { title: false, progress: false };
  #title = '';
  #progress = '';
  #timer: NodeJS.Timeout | null = null;

  constructor(terminal: Pick<Terminal, 'keep'>, env: Env) {
    this.#terminal = terminal;
    this.#can = { title: hasTitle(env) && env.CLAUDE_CODE_DISABLE_TERMINAL_TITLE !== '1', progress: hasProgress(env) };
  }

  /** What the person has set. */
  want({ title, progress }: { title: boolean; progress: boolean }): void {
    this.#wants = { title: title && this.#can.title, progress: progress && this.#can.progress };
    if (!this.#wants.title) this.#showTitle('');
    if (!this.#wants.progress) this.#showProgress('');
  }

  update(view: Shown, cwd: string): void {
    const isAsking = view.questions.length > 0;
    const isBusy = view.phase === 'busy' || view.phase === 'compacting';
    if (this.#wants.title) this.#showTitle(titleOf(view, cwd, isAsking ? '?' : isBusy ? '\u25cf' : '\u2733'));
    if (this.#wants.progress) this.#showProgress(isAsking ? ASKING : isBusy ? BUSY : '');
  }

  close(): void {
    this.#showTitle('');
    this.#showProgress('');
  }

  #showTitle(title: string): void {
    if (title === this.#title) return;
    const isFirst = this.#title === '';
    this.#title = title;
    const set = `\x1b]2;${title}\x07`;
    const mode = { on: PUSH_TITLE + set, off: POP_TITLE, now: isFirst ? PUSH_TITLE + set : set };
    this.#terminal.keep('title', title === '' ? null : mode);
  }

  #showProgress(progress: string): void {
    if (progress === this.#progress) return;
    this.#progress = progress;
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    const mode = { on: progress, off: NO_PROGRESS };
    this.#terminal.keep('progress', progress === '' ? null : mode);
    if (progress !== '') this.#timer = setInterval(() => this.#terminal.keep('progress', mode), AGAIN_MS);
  }
}

/** The title of the session is the model's or the person's text: it is made safe like any other. */
function titleOf({ info }: Shown, cwd: string, mark: string): string {
  const project = basename(info.cwd === '' ? cwd : info.cwd);
  const name = info.title === null ? project : `${cutText(info.title, MOST_CHARS)} \u2014 ${project}`;
  return `${mark} ${safeLine(name).trim()}`;
}
