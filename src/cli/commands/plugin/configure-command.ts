import { readFileSync } from 'node:fs';
import { examine } from '../../../plugins/examine.ts';
import { pluginAsRead, readScope } from '../../../plugins/installed-list.ts';
import type { PluginStore } from '../../../plugins/marketplaces.ts';
import { splitId } from '../../../plugins/plugin-error.ts';
import { secretsFile } from '../../../plugins/plugin-home.ts';
import {
  type AskedValue,
  askedValues,
  changeSecrets,
  readSecrets,
  typedValue,
} from '../../../plugins/plugin-values.ts';
import { findInstalled } from '../../../plugins/remove-plugin.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { printable } from '../../../util/text/printable.ts';
import { missingWord } from '../../flags/command-args.ts';
import { printLines } from '../../terminal/terminal.ts';
import { type PluginAction, report } from './plugin-action.ts';

const HELP = `Usage: heddle plugin configure [--json] PLUGIN[@MARKET] [KEY=VALUE]…

Sets the values that a plugin asks for (userConfig of its manifest). They stand in your settings;
values that the plugin calls sensitive stand in a file that only you can read. KEY=- reads one value
from stdin. Without KEY=VALUE it shows what the plugin asks for.

  --json   one line of JSON

Examples:
  heddle plugin configure tracker
  heddle plugin configure tracker@acme url=https://tracker.example.com
  heddle plugin configure tracker token=- < token.txt

Exit codes: 0 set or shown, 1 an error.
`;

export const configure: PluginAction = {
  help: HELP,
  flags: { '--json': 'switch' },
  async act(args, store) {
    const [given, ...texts] = args.words;
    if (given === undefined) throw missingWord('PLUGIN');
    const { id } = findInstalled(store.home, given);
    const { folder, entry } = pluginAsRead(store.home, id);
    const { asked } = askedValues(examine(folder, { name: splitId(id).name, entry }).plugin);
    if (texts.length > 0) {
      const keys = await setValues(store, id, { asked, texts });
      return report(args, { command: 'configure', pluginId: id, keys, message: `Set ${keys.join(', ')} of ${id}` });
    }
    const values = valuesOf(store, id);
    const rows = asked.map((ask) => ({
      key: ask.key,
      title: ask.title,
      required: ask.isRequired,
      isSet: values.has(ask.key),
    }));
    if (args.has('--json')) return report(args, { command: 'configure', pluginId: id, values: rows, message: '' });
    printLines(
      rows.length === 0
        ? [`${printable(id)} asks for no values`]
        : rows.map(({ key, title, required, isSet }) => {
            const state = isSet ? 'set' : required ? 'missing' : 'not set';
            return printable(`${key}: ${title} (${state})`);
          }),
    );
    return 0;
  },
};

/** Stores values of a plugin; resolves with their keys. Rejects with `plugin_failed` before anything is stored. */
export async function setValues(
  { home, changeSettings }: PluginStore,
  id: string,
  { asked, texts }: { asked: readonly AskedValue[]; texts: readonly string[] },
): Promise<string[]> {
  const typed = texts.map((text) =>
    typedValue(asked, text.endsWith('=-') ? `${text.slice(0, -1)}${fromStdin()}` : text),
  );
  const plain = typed.filter(({ ask }) => !ask.isSensitive).map(({ ask, value }) => [ask.key, value]);
  const secret = typed.filter(({ ask }) => ask.isSensitive).map(({ ask, value }) => [ask.key, value]);
  if (secret.length > 0)
    await changeSecrets(secretsFile(home.configHome), id, Object.fromEntries(secret) as JsonObject);
  if (plain.length > 0) {
    await changeSettings('userSettings', (values) => {
      const all = isObject(values.pluginConfigs) ? values.pluginConfigs : {};
      const own = isObject(all[id]) ? all[id] : {};
      const options = { ...(isObject(own.options) ? own.options : {}), ...Object.fromEntries(plain) };
      return { ...values, pluginConfigs: { ...all, [id]: { ...own, options } } };
    });
  }
  return typed.map(({ ask }) => ask.key);
}

function fromStdin(): string {
  return readFileSync(0, 'utf8').replace(/\r?\n$/, '');
}

function valuesOf({ home }: PluginStore, id: string): Set<string> {
  const { pluginConfigs } = readScope(home, 'user');
  const own = isObject(pluginConfigs) ? pluginConfigs[id] : undefined;
  const secrets = readSecrets(secretsFile(home.configHome))[id];
  const options = isObject(own) && isObject(own.options) ? own.options : {};
  return new Set([...Object.keys(options), ...Object.keys(isObject(secrets) ? secrets : {})]);
}
