import type { Draft, EditorState } from '../editor/editor.ts';
import type { Completion, EarlierPrompt } from '../focus/focus-state.ts';
import { createKeymap, type Keymap } from '../focus/keymap.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';
import type { Typing } from '../typing/typing.ts';
import type { TypingContext, TypingInbox } from '../typing/typing-context.ts';

const USUAL_KEYS = createKeymap();

/** What helps to write a prompt. It is loaded behind the first frame; until then keys have their usual meanings. */
export class LateTyping {
  readonly #place: TypingContext;
  readonly #stage: Stage;
  readonly #desk: TypingInbox;
  #typing: Typing | null = null;
  /** Prompts from before. */
  readonly #early: Draft[] = [];

  constructor(place: TypingContext, stage: Stage, desk: TypingInbox) {
    this.#place = place;
    this.#stage = stage;
    this.#desk = desk;
  }

  /** Null until it is loaded. */
  get loaded(): Typing | null {
    return this.#typing;
  }

  /** Never rejects: without it, one can still type and send. */
  async load(): Promise<void> {
    try {
      const { Typing: Loaded } = await import('../typing/typing.ts');
      const parts = { place: this.#place, stage: this.#stage, desk: this.#desk };
      const typing = new Loaded({ ...parts, loadCommands: terminalCommands });
      this.#typing = typing;
      for (const draft of this.#early.splice(0)) typing.remember(draft);
    } catch (error) {
      this.#stage.notify(`Menus, history and drafts could not be loaded: ${String(error)}`);
    }
  }

  get keymap(): Keymap {
    return this.#typing?.keymap ?? USUAL_KEYS;
  }

  get history(): readonly EarlierPrompt[] {
    return this.#typing?.history ?? [];
  }

  /** Where history belongs to. */
  get where(): { project: string; sessionId: string } {
    return { project: this.#place.cwd, sessionId: this.#typing?.sessionId ?? '' };
  }

  menu(editor: EditorState): Completion | null {
    return this.#typing?.menu(editor) ?? null;
  }

  remember(draft: Draft): void {
    if (this.#typing) this.#typing.remember(draft);
    else this.#early.push(draft);
  }
}

async function terminalCommands(): Promise<readonly TerminalCommand[]> {
  return (await import('../commands/run-command.ts')).TERMINAL_COMMANDS;
}
