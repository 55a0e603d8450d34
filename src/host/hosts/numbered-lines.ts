import { isObject, type JsonObject, tryParseJson } from '../../util/json.ts';
import { RAW_JSON } from '../../wire/link/jsonl.ts';

export interface LineLimits {
  /** How many lines can be sent again. */
  lines: number;
  /** How much text they may have together. */
  chars: number;
}

/** The newest lines of a session, numbered from 1, for hosts that come late. Older ones are forgotten. */
export class NumberedLines {
  readonly #limits: LineLimits;
  #texts: string[] = [];
  /** How many of `texts` are forgotten already. */
  #head = 0;
  #chars = 0;
  #newest = 0;

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  /** The number of the newest line; 0: there was none yet. */
  get newest(): number {
    return this.#newest;
  }

  /** The number of the oldest line that can be sent again; there is none when it is beyond the newest. */
  get oldest(): number {
    return this.#newest - (this.#texts.length - this.#head) + 1;
  }

  /** Numbers a line and keeps it. The result carries its JSON text, so that it is written once for all hosts. */
  add(message: JsonObject): NumberedLine {
    const seq = ++this.#newest;
    const raw = (message as { [RAW_JSON]?: string })[RAW_JSON] ?? JSON.stringify(message);
    const text = raw === '{}' ? `{"seq":${seq}}` : `${raw.slice(0, -1)},"seq":${seq}}`;
    this.#texts.push(text);
    this.#chars += text.length;
    this.#forget();
    return { line: withText({ ...message, seq }, text), chars: text.length };
  }

  /** The lines from this number on, as far as they can be sent again. */
  *from(seq: number): Generator<NumberedLine> {
    for (const text of this.#texts.slice(this.#head + Math.max(0, seq - this.oldest))) {
      const line = tryParseJson(text);
      if (isObject(line)) yield { line: withText(line, text), chars: text.length };
    }
  }

  #forget(): void {
    const { lines, chars } = this.#limits;
    while (this.#texts.length - this.#head > lines || this.#chars > chars) {
      this.#chars -= this.#texts[this.#head]?.length ?? 0;
      this.#texts[this.#head++] = '';
    }
    if (this.#head < 1000 || this.#head * 2 < this.#texts.length) return;
    this.#texts = this.#texts.slice(this.#head);
    this.#head = 0;
  }
}

export interface NumberedLine {
  line: JsonObject;
  chars: number;
}

function withText(line: JsonObject, text: string): JsonObject {
  Object.defineProperty(line, RAW_JSON, { value: text });
  return line;
}
