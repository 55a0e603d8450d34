import { resolve } from 'node:path';
import { validate as check, type Validation } from '../../../plugins/validate.ts';
import { printable } from '../../../util/text/printable.ts';
import { takeWords } from '../../flags/command-args.ts';
import { printJson, printLines } from '../../terminal/terminal.ts';
import type { PluginAction } from './plugin-action.ts';
import { actLines } from './show-plugin.ts';

const HELP = `Usage: heddle plugin validate [--strict] [--json] PATH

Checks a plugin or a marketplace before you publish it: a folder, or its plugin.json or
marketplace.json. Reads all that it holds, and shows what of it acts.

  --strict   warnings count as errors
  --json     as JSON: {success, strict, target, manifest, contents, advice}

Examples:
  heddle plugin validate .
  heddle plugin validate --strict --json ./my-plugins

Exit codes: 0 it can be used, 1 it cannot, or an error.
`;

export const validate: PluginAction = {
  help: HELP,
  flags: { '--strict': 'switch', '--json': 'switch' },
  async act(args) {
    const [path = ''] = takeWords(args.words, ['PATH']);
    const found = check(resolve(process.cwd(), path), { isStrict: args.has('--strict') });
    if (args.has('--json')) printJson(found);
    else printLines(linesOf(found));
    return found.success ? 0 : 1;
  },
};

function linesOf({ manifest, contents, advice, success }: Validation): string[] {
  const problems = ({ errors, warnings }: { errors: string[]; warnings: string[] }) => [
    ...errors.map((each) => `  error: ${printable(each)}`),
    ...warnings.map((each) => `  warning: ${printable(each)}`),
  ];
  return [
    `${printable(manifest.file)} (${manifest.type})`,
    ...problems(manifest),
    ...manifest.notes.map((each) => `  note: ${printable(each)}`),
    ...contents.flatMap(({ name, acts, ...rest }) => [
      `${printable(name)}:`,
      ...problems(rest),
      ...(acts ? actLines(acts) : []),
    ]),
    ...advice.map((each) => `${printable(each)}.`),
    success ? 'It can be used.' : 'It cannot be used as it is.',
  ];
}
