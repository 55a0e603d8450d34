import type { Within } from './inner-code.ts';
import { inShell } from './interpreters.ts';
import { notStatic, type ShellScript, type SimpleCommand, type Word } from './shell-script.ts';

/** The code that git starts: in its words, or in a setting that they pass. */
export function startedByGit({ words }: SimpleCommand, within: Within): ShellScript | null {
  const at = subcommandAt(words);
  const options = words.slice(0, at);
  const [subcommand, ...args] = words.slice(at);
  const settings = options.flatMap((word, each) => (word === '-c' ? [options[each + 1]] : []));
  if (settings.some((setting) => !isHarmless(setting)) || options.some(isRisky)) return notStatic(SETTING);
  if (subcommand === 'config' && changesSetting(args)) return notStatic(SETTING);
  if (args.some((arg) => typeof arg === 'string' && /^(?:ext::|--(?:upload|receive)-pack)/.test(arg)))
    return notStatic(CODE);
  switch (subcommand) {
    case 'bisect':
      return args[0] === 'run' && args.length > 1 ? within.words(args.slice(1)) : null;
    case 'submodule':
      return submodule(args, within);
    case 'rebase':
      return optionCode(args, /^(?:-x|--exec=?)/, within);
    case 'grep':
      return optionCode(args, /^(?:-O|--open-files-in-pager=?)/, within);
    case 'difftool':
      return optionCode(args, /^(?:-x|--extcmd=?)/, within);
    case 'filter-branch':
      return notStatic(CODE);
    default:
      return null;
  }
}

const SETTING = 'it gives git a setting that can run commands';
const CODE = 'it gives git code to run';

function subcommandAt(words: readonly Word[]): number {
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (typeof word !== 'string' || !word.startsWith('-')) return at;
    if (/^(?:-[cC]|--(?:git-dir|work-tree|namespace))$/.test(word)) at++;
  }
  return words.length;
}

function isHarmless(setting: Word | undefined): boolean {
  const text = typeof setting === 'object' ? setting.parts[0] : setting;
  const isOpen = typeof setting === 'object' && setting.many;
  return !isOpen && typeof text === 'string' && HARMLESS_SETTINGS.test(text);
}

/** Settings that hold a name, a number or a colour. */
const HARMLESS_SETTINGS =
  /^(?:user\.(?:name|email)|color\.\w+|advice\.\w+|core\.(?:quotepath|autocrlf)|init\.defaultbranch|commit\.gpgsign)=/i;

function isRisky(option: Word): boolean {
  return typeof option !== 'string' || /^--(?:config-env|exec-path=)/.test(option);
}

/** With a value, `git config` writes the setting, for this call and all others. */
function changesSetting(args: readonly Word[]): boolean {
  const operands = args.filter((arg) => typeof arg !== 'string' || !arg.startsWith('-'));
  const [key] = operands;
  return operands.length > 1 && !(typeof key === 'string' && isHarmless(`${key}=`));
}

function submodule(args: readonly Word[], within: Within): ShellScript | null {
  const at = args.indexOf('foreach');
  if (at === -1) return null;
  const code = args.slice(at + 1).filter((arg) => arg !== '--recursive' && arg !== '--quiet');
  if (code.length === 0) return null;
  const text = code.every((word) => typeof word === 'string') ? code.join(' ') : null;
  return text === null ? notStatic(CODE) : inShell(text, within);
}

/** The code may be attached to the option, or be the next word. */
function optionCode(args: readonly Word[], option: RegExp, within: Within): ShellScript | null {
  const at = args.findIndex((arg) => typeof arg === 'string' && option.test(arg));
  const found = args[at];
  if (typeof found !== 'string') return null;
  const attached = found.replace(option, '');
  const code = attached === '' ? args[at + 1] : attached;
  return code === undefined ? null : inShell(code, within);
}
