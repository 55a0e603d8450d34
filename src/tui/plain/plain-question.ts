import type { Questions } from '../app/questions.ts';
import { textOfRow } from '../rows/row.ts';

/** So long after a question was printed, a line was meant for something else. */
const GUARD_MS = 300;
const SELECTED = '\u276f ';

/** The question that is open, as lines: its answers have numbers, and yes and no are typed. */
export class PlainQuestion {
  readonly #questions: Questions;
  readonly #columns: () => number;
  readonly #heading: () => string;
  #printed: readonly string[] = [];
  #askedAt: number | null = null;

  /** `heading` says what the open question is about. */
  constructor(questions: Questions, columns: () => number, heading: () => string) {
    this.#questions = questions;
    this.#columns = columns;
    this.#heading = heading;
  }

  /** What is new of it since the last look: all of it when it opens, then what a line has changed. */
  news(now: number): string[] {
    const isNew = this.#questions.forFocus()?.paintedAt === null;
    const rows = this.#rows();
    if (rows === null) {
      this.#printed = [];
      this.#askedAt = null;
      return [];
    }
    const before = isNew ? [] : this.#printed;
    const lines = rows.map(plain);
    this.#printed = lines;
    if (isNew || this.#askedAt === null) this.#askedAt = now;
    const fresh = lines.filter((line) => !before.includes(line));
    if (fresh.length === 0) return [];
    return isNew ? ['', this.#heading(), ...lines, this.#help(rows)] : [...fresh, this.#help(rows)];
  }

  /** False: the line came before the question, or is none for it; `why` tells the person. */
  take(line: string, now: number): { isTaken: boolean; why?: string } {
    const text = line.trim();
    const rows = this.#rows();
    if (rows === null) return { isTaken: false };
    if (this.#askedAt === null || now - this.#askedAt < GUARD_MS) {
      return { isTaken: false, why: 'The line came before the question and does not answer it.' };
    }
    if (this.#questions.forFocus()?.takesText) return this.#takeText(text);
    if (/^\d$/.test(text)) this.#press(text);
    else if (text === 'yes') return this.#sayYes(rows);
    else if (text === 'no' || text === 'esc') this.#questions.act({ action: 'confirm:no' });
    else if (text === 'remark') this.#questions.act({ action: 'confirm:nextField' });
    else if (text === 'next' || text === 'send') this.#questions.act({ action: 'confirm:yes' });
    else if (text === 'back') this.#questions.act({ action: 'tabs:previous' });
    else if (/^[evw?]$/.test(text)) this.#press(text);
    else return { isTaken: true, why: `That is no answer. ${this.#help(rows)}` };
    return { isTaken: true };
  }

  #takeText(text: string): { isTaken: boolean } {
    if (text === 'esc') this.#questions.act({ action: 'confirm:no' });
    else {
      if (text !== '') this.#questions.act({ action: 'edit', edit: { type: 'set', text } });
      this.#questions.act({ action: 'confirm:yes' });
    }
    return { isTaken: true };
  }

  /** Goes to the first answer by the arrows and takes it: where a digit alone does not approve, the whole word does. */
  #sayYes(rows: readonly string[]): { isTaken: boolean; why?: string } {
    const isFirst = (row: string) => /^\u276f 1 /u.test(row);
    if (!rows.some((row) => /^.? ?1 Yes/u.test(row))) return { isTaken: true, why: this.#help(rows) };
    for (let left = 20; left > 0; left--) {
      if ((this.#rows() ?? []).some(isFirst)) {
        this.#questions.act({ action: 'confirm:yes' });
        return { isTaken: true };
      }
      this.#questions.act({ action: 'confirm:next' });
    }
    return { isTaken: true, why: this.#help(rows) };
  }

  #press(key: string): void {
    this.#questions.act({ action: 'key', text: key });
  }

  #rows(): string[] | null {
    const found = this.#questions.rows({ columns: this.#columns(), rows: 1000 });
    return found === null ? null : found.rows.map(textOfRow);
  }

  #help(rows: readonly string[]): string {
    if (this.#questions.forFocus()?.takesText) return 'Type the text and enter; esc goes back.';
    const numbers = rows.flatMap((row) => /^(?:\u276f| ) (\d) /u.exec(row)?.[1] ?? []);
    const hasYes = rows.some((row) => /^.? ?1 Yes/u.test(row));
    const what = `Enter selection (1-${numbers.at(-1) ?? 1})`;
    return hasYes ? `${what}, yes or no. Also: remark, v, e, w, ?` : `${what}, or next, back, no`;
  }
}

/** Without the mark of the highlighted answer: numbers choose. */
const plain = (row: string) => (row.startsWith(SELECTED) ? `  ${row.slice(SELECTED.length)}` : row);
