import { isObject } from '../../util/json.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import type { EditorState } from '../editor/editor.ts';
import type { Completion, EarlierPrompt } from '../focus/focus-state.ts';
import { type Asked, askedAt } from '../menu/asked-at.ts';
import { argumentHint, argumentMenu, commandMenu, type ListedCommand } from '../menu/command-menu.ts';
import { type FileAnswer, fileQuery, mentionMenu, type SuggestedFile } from '../menu/mention-menu.ts';
import { shellMenu } from '../menu/shell-menu.ts';
import type { Stage } from '../stage/stage.ts';
import type { ArgumentValue, TerminalCommand } from '../stage/terminal-command.ts';
import { ResourceNames } from './resource-names.ts';
import type { LoadCommands } from './typing-context.ts';

/** As many as the menu can scroll through. */
const FILES = 50;
/** How soon the same question is put again while the files are still being listed. */
const AGAIN_MS = 250;

/** What the text at the caret can become. Answers come late; until then the menu shows what is known. */
export class Completions {
  readonly #stage: Stage;
  readonly #load: LoadCommands;
  readonly #resources: ResourceNames;
  readonly #history: { readonly prompts: readonly EarlierPrompt[] };
  #own: readonly TerminalCommand[] | null = null;
  #isLoading = false;
  /** The values of a command's argument, requested again each time that its name is written. */
  #values: { command: string; values: readonly ArgumentValue[] | null } | null = null;
  #files: FileAnswer | null = null;
  #wanted: string | null = null;
  #isAsking = false;
  #timer: NodeJS.Timeout | null = null;
  /** The last menu, and what it was made of. */
  #made: { text: string; caret: number; anchor: number | null; version: number; menu: Completion | null } | null = null;
  #version = 0;

  constructor(stage: Stage, history: { readonly prompts: readonly EarlierPrompt[] }, load: LoadCommands) {
    this.#stage = stage;
    this.#history = history;
    this.#resources = new ResourceNames(stage, () => this.#changed());
    this.#load = load;
  }

  /** The menu for this text; asks nobody. */
  menu({ text, caret, anchor }: EditorState): Completion | null {
    const made = this.#made;
    const isSame = made && made.text === text && made.caret === caret && made.anchor === anchor;
    if (isSame && made.version === this.#version) return made.menu;
    const asked = askedAt({ text, caret, anchor });
    const menu = asked && this.#menuOf(asked, text);
    this.#made = { text, caret, anchor, version: this.#version, menu };
    return menu;
  }

  /** The hint that stands in dim behind the name of a command. */
  hint({ text, caret }: EditorState): string {
    if (!text.startsWith('/') || caret !== text.length) return '';
    return argumentHint(text, this.#commands()) ?? '';
  }

  /** The text has changed: asks for what its menu needs. */
  typed({ text, caret, anchor }: EditorState): void {
    const asked = askedAt({ text, caret, anchor });
    if (asked?.kind !== 'argument' || asked.command !== this.#values?.command) this.#values = null;
    const query = asked?.kind === 'mention' ? fileQuery(asked) : asked?.kind === 'shell' ? asked.query : null;
    this.#wanted = query;
    if (asked?.kind === 'mention') void this.#resources.wanted();
    if (query === null) this.#stopAsking();
    else void this.#askFiles();
    if (asked?.kind === 'command' || asked?.kind === 'argument') void this.#ask(asked);
  }

  close(): void {
    this.#stopAsking();
    this.#wanted = null;
  }

  #menuOf(asked: Asked, text: string): Completion | null {
    switch (asked.kind) {
      case 'command':
        // Half of the commands would make Enter run another one than the person has written.
        return this.#own && commandMenu(asked, this.#commands());
      case 'argument': {
        const { command, values } = this.#values ?? {};
        return command === asked.command && values ? argumentMenu(asked, new Map([[command, values]])) : null;
      }
      case 'mention': {
        const others = this.#stage.tracker.view.info.agents.map((name) => ({ name: `agent-${name}`, detail: 'agent' }));
        return mentionMenu(asked, { files: this.#files, others: [...others, ...this.#resources.listed] });
      }
      case 'shell':
        return shellMenu(asked, { text, files: this.#files, history: this.#history.prompts, quote: shellWord });
      default:
        return asked satisfies never;
    }
  }

  /** The terminal's own commands, then those of the session; of two with one name, the terminal's. */
  #commands(): ListedCommand[] {
    const own = (this.#own ?? []).map((each) => ({ argumentHint: '', ...each }));
    const names = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    const ofSession = this.#stage.tracker.view.info.commands.filter(({ name }) => !names.has(name));
    const elsewhere = names.has('exit') ? [] : [EXIT];
    return [...own, ...elsewhere, ...ofSession].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #ask(asked: Extract<Asked, { kind: 'command' | 'argument' }>): Promise<void> {
    if (!this.#own && !this.#isLoading) {
      this.#isLoading = true;
      this.#own = await this.#load().catch(() => null);
      this.#isLoading = false;
      this.#changed();
    }
    if (asked.kind !== 'argument' || this.#values?.command === asked.command) return;
    const command = this.#own?.find(({ name, aliases }) => name === asked.command || aliases?.includes(asked.command));
    if (!command?.values) return;
    const asking = { command: asked.command, values: null as readonly ArgumentValue[] | null };
    this.#values = asking;
    asking.values = await command.values(this.#stage).catch(() => []);
    this.#changed();
  }

  /** One question at a time: of those that came meanwhile, only the last is put. */
  async #askFiles(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (this.#wanted !== null && this.#files?.query !== this.#wanted) {
        const query = this.#wanted;
        const answer = await this.#stage.call({ subtype: 'file_suggestions', query, limit: FILES }).catch(() => ({}));
        const suggestions = 'suggestions' in answer && Array.isArray(answer.suggestions) ? answer.suggestions : [];
        this.#files = { query, suggestions: suggestions.filter(isFile) };
        this.#changed();
        if ('indexing' in answer && answer.indexing === true) this.#askAgain(query);
      }
    } finally {
      this.#isAsking = false;
    }
  }

  #askAgain(query: string): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#wanted !== query) return;
      if (this.#files) this.#files = { ...this.#files, query: `${query}\n` };
      void this.#askFiles();
    }, AGAIN_MS);
  }

  #stopAsking(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    // Files may change: the next mention asks again.
    this.#files = null;
  }

  #changed(): void {
    this.#version++;
    this.#stage.changed();
  }
}

const EXIT: ListedCommand = { name: 'exit', description: 'Leave', argumentHint: '', aliases: ['quit'] };

function isFile(each: unknown): each is SuggestedFile {
  return isObject(each) && typeof each.path === 'string';
}
