import { isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { askChoice, printOutcome } from '../pickers/ask-choice.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';

/** The settings, as far as a session shows and changes them. */
export const CONFIG_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'config',
    aliases: ['settings'],
    argumentHint: '[key=value]',
    description: 'The settings in force, or change one of your own',
    run: (argument, stage) => (argument === '' ? settingLines(stage) : changeSetting(argument, stage)),
  },
  {
    name: 'output-style',
    argumentHint: '[name]',
    description: 'Choose how the agent answers',
    async run(name, stage) {
      if (name !== '') return [await useStyle(stage, name)];
      const styles = await listedStyles(stage);
      const now = stage.tracker.view.info.outputStyle;
      askChoice(stage, `The output style is ${now || 'default'}`, [
        { text: 'Leave it', run: () => {} },
        ...styles.map((style) => ({ text: style, run: () => printOutcome(stage, useStyle(stage, style)) })),
      ]);
      return [];
    },
    values: async (stage) => (await listedStyles(stage)).map((value) => ({ value })),
  },
];

/** Longer values are better read in their file. */
const MOST_CHARS = 60;

async function settingLines(stage: Stage): Promise<string[]> {
  const { provenance } = await stage.call({ subtype: 'get_settings' });
  const settings = Array.isArray(provenance) ? provenance.filter(isObject) : [];
  if (settings.length === 0) return ['No setting is set. /config KEY=VALUE sets one for you.'];
  const rows = settings.map(({ key, value, scope, source }) => [key, shown(value), scope, source].map(String));
  const widest = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((text, at) => text.padEnd(widest[at] ?? 0)).join('  ')}`.trimEnd());
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS - 1)}\u2026` : text;
}

/** `key=value` in the user's file; without a value the key is removed. */
async function changeSetting(argument: string, stage: Stage): Promise<string[]> {
  const [, key = '', text] = /^([\w$-]+(?:\.[\w$-]+)*)\s*=\s*([\s\S]*)$/.exec(argument) ?? [];
  if (text === undefined) return ['/config takes KEY=VALUE, such as /config theme=dark.'];
  const value = text === '' ? null : jsonOrText(text);
  const settings = key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as JsonObject;
  await stage.call({ subtype: 'update_settings', source: 'userSettings', settings }).catch((error) => {
    throw new Error(`${messageOf(error)}. In a shell, heddle config set ${key} changes any setting`);
  });
  await stage.look.loaded?.refresh();
  const change = value === null ? `${key} is removed from` : `${key} is ${JSON.stringify(value)} in`;
  return [`${change} settings.json of the config home.`];
}

/** JSON where it reads as such, else text. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function listedStyles(stage: Stage): Promise<string[]> {
  const { available_output_styles: styles } = await stage.call({ subtype: 'reload_output_styles' });
  return Array.isArray(styles) ? styles.filter((style) => typeof style === 'string') : [];
}

async function useStyle(stage: Stage, name: string): Promise<string> {
  const styles = await listedStyles(stage);
  const style = styles.find((each) => each.toLowerCase() === name.toLowerCase());
  if (style === undefined) throw new Error(`there is no output style ${JSON.stringify(name)}: ${styles.join(', ')}`);
  await stage.call({ subtype: 'apply_flag_settings', settings: { outputStyle: style } });
  return `The output style is ${style} from the next turn on, in this session. heddle config set outputStyle keeps it.`;
}
