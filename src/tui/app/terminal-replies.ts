import type { BlockContext } from '../rows/blocks/block-context.ts';
import { createWidths, type WidthOptions } from '../rows/widths.ts';
import type { Screen } from '../screen/screen.ts';
import { readReply } from '../term/probes.ts';
import type { Terminal } from '../term/terminal.ts';
import type { TypingSettings } from '../typing/typing-settings.ts';
import type { LateLook } from './late-look.ts';
import type { WindowSize } from './window-size.ts';

export interface RepliesParts {
  readonly terminal: Pick<Terminal, 'replied'>;
  readonly screen: Screen;
  readonly window: WindowSize;
  readonly look: LateLook;
  /** Its widths are those in force. */
  readonly context: BlockContext;
}

/** What the terminal answers about itself, and what follows from it. */
export class TerminalReplies {
  readonly #parts: RepliesParts;
  #widths: WidthOptions;

  constructor(parts: RepliesParts, widths: WidthOptions) {
    this.#parts = parts;
    this.#widths = widths;
  }

  take(sequence: string): void {
    const reply = readReply(sequence);
    if (!reply) return;
    if (reply.kind === 'cursor') this.#parts.window.cursorAt(reply.column);
    else if (reply.kind === 'background') this.#parts.look.loaded?.background(reply.colour);
    else this.#parts.terminal.replied(reply);
    if (reply.kind === 'graphemes' && reply.isOn) this.useWidths({ byGraphemes: true });
  }

  /** What the person has set about how text is laid out. */
  useSettings({ ambiguousWide, wrap }: Pick<TypingSettings, 'ambiguousWide' | 'wrap'>): void {
    this.#parts.context.leavesProse = wrap === 'terminal';
    this.useWidths({ ambiguousWide });
  }

  /** What is known about the widths of characters; the rest stays. */
  useWidths(known: Partial<WidthOptions>): void {
    const { context, screen } = this.#parts;
    this.#widths = { ...this.#widths, ...known };
    context.widths = createWidths(this.#widths);
    screen.setWidths(context.widths);
  }
}
