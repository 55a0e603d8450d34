import type { Word } from '../shell/shell-script.ts';

/** Settings that hold a name, a number or a colour. */
const HARMLESS_SETTINGS =
  /^(?:user\.(?:name|email)|color\.\w+|advice\.\w+|core\.(?:quotepath|autocrlf|abbrev|safecrlf|eol|filemode|ignorecase|longpaths)|init\.defaultbranch|commit\.gpgsign|tag\.gpgsign|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|rebase\.(?:autostash|autosquash)|merge\.(?:ff|conflictstyle)|diff\.(?:renames|algorithm|context|noprefix|mnemonicprefix)|log\.(?:date|decorate|follow)|fetch\.prune|rerere\.enabled|gc\.auto|http\.(?:postbuffer|lowspeedlimit|lowspeedtime)|safe\.directory|protocol\.version|status\.\w+|column\.\w+|branch\.(?:autosetuprebase|autosetupmerge|sort))$/i;

export function isHarmlessSetting(setting: Word): boolean {
  const text = typeof setting === 'object' ? setting.parts[0] : setting;
  const isOpen = typeof setting === 'object' && (setting.many || !String(text).includes('='));
  return !isOpen && typeof text === 'string' && HARMLESS_SETTINGS.test(text.replace(/=.*/s, ''));
}
