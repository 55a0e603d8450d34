import { changeSettingsFile } from '../../../host/launch/change-settings-file.ts';
import type { PluginStore } from '../../../plugins/marketplaces.ts';
import { messageOf } from '../../../util/message-of.ts';
import { createProcesses } from '../../../util/process/process.ts';
import { silentLogger } from '../../../util/system-runtime.ts';
import { type CommandArgs, parseCommandArgs } from '../../flags/command-args.ts';
import { printHelp, printLines, printRemark } from '../../terminal/terminal.ts';
import { chooseCommand } from '../choose-command.ts';
import { defineGroup } from '../command-group.ts';
import { commandLocation } from '../command-location.ts';
import { accept } from './accept-command.ts';
import { configure } from './configure-command.ts';
import { install } from './install-command.ts';
import { details, list } from './list-command.ts';
import { marketplace } from './marketplace-command.ts';
import { outdated } from './outdated-command.ts';
import type { PluginAction } from './plugin-action.ts';
import { disable, enable, uninstall } from './switch-command.ts';
import { sync } from './sync-command.ts';
import { update } from './update-command.ts';
import { validate } from './validate-command.ts';

export const PLUGIN = defineGroup<PluginAction>({
  group: 'plugin',
  about: `Installs plugins from marketplaces: skills, commands, agents, output styles, hooks and servers.`,
  commands: {
    marketplace: { does: 'add, list, update and remove marketplaces', action: marketplace },
    install: { does: 'fetch a plugin, show what acts, and install it', action: install },
    uninstall: { does: 'remove a plugin', action: uninstall },
    update: { does: 'compare with what is new, and install that', action: update },
    outdated: { does: 'whether there is something new; changes nothing', action: outdated },
    list: { does: 'what is installed, and what there is', action: list },
    details: { does: 'what a plugin brings, and what of it acts', action: details },
    enable: { does: 'use a plugin again', action: enable },
    disable: { does: 'do not use a plugin, and leave it installed', action: disable },
    configure: { does: 'set the values that a plugin asks for', action: configure },
    accept: { does: 'let a plugin act that another program installed, or that has changed', action: accept },
    sync: { does: 'install what the settings of this project enable', action: sync },
    validate: { does: 'check a plugin or a marketplace before you publish it', action: validate },
  },
  notes: `Files and formats are those of the reference: both programs can use one config home. A run never
fetches a plugin, and what you accepted is what runs.

Each takes --help.`,
  examples: ['plugin marketplace add acme/plugins', 'plugin install formatter@acme', 'plugin list --available'],
  exitCodes: '0 done, 1 not done, or an error.',
});

/** `heddle plugin …`; resolves with the exit code. */
export async function runPlugin(argv: readonly string[]): Promise<number> {
  const [first, ...more] = argv;
  const chosen = await chooseCommand(first === undefined ? argv : [ALIASES[first] ?? first, ...more], PLUGIN);
  if (!chosen) return 0;
  const { name, action, rest } = chosen;
  const { help, flags, short = {}, act } = action;
  const args = parseCommandArgs(rest, { command: `heddle plugin ${name}`, own: flags, short, run: [] });
  if (!args) {
    printHelp(help);
    return 0;
  }
  return withStore((store) => actAndTell(name, args, () => act(args, store)));
}

/** Words of the reference for the same. */
const ALIASES: Readonly<Record<string, string>> = {
  i: 'install',
  remove: 'uninstall',
  rm: 'uninstall',
  market: 'marketplace',
};

/** With --json, programs find the outcome on stdout, also when it is an error. */
async function actAndTell(command: string, args: CommandArgs, act: () => Promise<number>): Promise<number> {
  try {
    return await act();
  } catch (error) {
    if (!args.has('--json') || ['list', 'details', 'validate', 'outdated'].includes(command)) throw error;
    const [plugin] = args.words;
    const named = plugin === undefined || command === 'marketplace' ? {} : { plugin };
    printLines([JSON.stringify({ command, outcome: 'failed', ...named, message: messageOf(error) })]);
    printRemark(messageOf(error));
    return 1;
  }
}

async function withStore(work: (store: PluginStore) => Promise<number>): Promise<number> {
  const { cwd, configHome } = commandLocation();
  const processes = createProcesses({ log: silentLogger });
  const aborter = new AbortController();
  const isShown = process.stderr.isTTY === true;
  try {
    return await work({
      home: { cwd, configHome, userHome: process.env.HOME ?? '', now: Date.now },
      tools: {
        env: process.env,
        run: processes.run,
        fetch: (url, init) => fetch(url, init),
        signal: aborter.signal,
        report: (doing) => (isShown ? printRemark(`${doing} …`) : undefined),
      },
      changeSettings: (scope, change) => changeSettingsFile(scope, { cwd, configHome }, change),
    });
  } finally {
    await processes.close();
  }
}
