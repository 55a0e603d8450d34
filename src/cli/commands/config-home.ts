import { chooseHome, type HomeView, resetHome, viewHome } from '../../admin/choose-home.ts';
import type { HomeSource } from '../../util/own/config-home.ts';
import { printable } from '../../util/text/printable.ts';
import { usage } from '../flags/args.ts';
import { type CommandArgs, takeWords } from '../flags/command-args.ts';
import { printJson, printLines, printRemark } from '../terminal/terminal.ts';

/** `heddle config home [DIR | --reset]`; resolves with the exit code. */
export async function runConfigHome(words: readonly string[], { has }: CommandArgs): Promise<number> {
  const [directory] = takeWords(words, ['DIR'], 0);
  if (directory !== undefined && has('--reset')) throw usage('--reset takes no DIR');
  const { env } = process;
  if (has('--reset')) await resetHome(env);
  const before = directory === undefined ? null : usedBefore();
  const view = directory === undefined ? viewHome(env) : await chooseHome(directory, env, process.cwd());
  if (has('--json')) printJson(view);
  else printLines([`${printable(view.path)} (${reasonOf(view)})`]);
  for (const note of notesOn(view, { directory, before })) printRemark(printable(note));
  return 0;
}

/** An unreadable choice is about to be replaced. */
function usedBefore(): string | null {
  try {
    return viewHome(process.env).path;
  } catch {
    return null;
  }
}

function reasonOf({ source, file }: HomeView): string {
  const reasons: Record<HomeSource, string> = {
    HEDDLE_HOME: 'the variable HEDDLE_HOME says so',
    CLAUDE_CONFIG_DIR: 'the variable CLAUDE_CONFIG_DIR says so',
    stored: `chosen with heddle config home, stored in ${printable(file ?? '')}`,
    default: 'the default',
  };
  return reasons[source];
}

/** Notes about effects that may surprise the user after a change. */
function notesOn(
  { path, source }: HomeView,
  change: { directory: string | undefined; before: string | null },
): string[] {
  if (change.directory === undefined) return [];
  if (source === 'HEDDLE_HOME' || source === 'CLAUDE_CONFIG_DIR') {
    return [`the choice is stored; as long as ${source} is set, that variable wins`];
  }
  if (change.before === null || change.before === path) return [];
  return [`what is stored in ${change.before} stays there and is not used any more`];
}
