import { type ModelsView, viewModels } from '../../admin/models.ts';
import { openEngine } from '../../host/engine/engine.ts';
import { printable } from '../../util/text/printable.ts';
import { wrapText } from '../../util/text/wrap-text.ts';
import { parseCommandArgs, takeWords } from '../flags/command-args.ts';
import { printHelp, printJson, printLines, type Terminal, terminalOf } from '../terminal/terminal.ts';

export const MODELS_HELP = `Usage: heddle models [--json] [options]

Lists what --model can name here: the short names and what they mean, the providers with what is
missing for each, and the servers of models that answer on this machine (Ollama, LM Studio,
llama.cpp, vLLM), with their models. Only this machine is asked, and no key is shown.

  --json      as JSON: {names: [{value, resolvedModel, description}], cloud,
              providers: [{name, isReady, lacks}], local: [{name, address, models}]}

Of a run: --model, --settings, --setting-sources, --managed-settings, --trust.

Examples:
  heddle models
  heddle models --json | jq -r '.providers[] | select(.isReady) | .name'
`;

/** `heddle models …`; resolves with the exit code. */
export async function runModels(argv: readonly string[]): Promise<number> {
  const args = parseCommandArgs(argv, {
    command: 'heddle models',
    own: { '--json': 'switch' },
    run: ['--model', '--settings', '--setting-sources', '--managed-settings', '--trust'],
  });
  if (!args) {
    printHelp(MODELS_HELP);
    return 0;
  }
  takeWords(args.words, [], 0);
  const engine = openEngine({ cwd: process.cwd(), env: process.env });
  try {
    const view = await viewModels(engine, args.config);
    if (args.has('--json')) printJson(view);
    else printLines(viewLines(view, terminalOf(process.stdout, process.env)));
    return 0;
  } finally {
    await engine.close();
  }
}

function viewLines({ names, cloud, providers, local }: ModelsView, terminal: Terminal): string[] {
  const { paint } = terminal;
  const ready = providers.filter(({ isReady }) => isReady);
  const others = providers.filter(({ isReady }) => !isReady);
  return [
    cloud === null ? 'Names' : `Names, answered by ${cloud}`,
    ...rows(
      names.map(({ value, resolvedModel = '' }) => [value, resolvedModel]),
      terminal,
    ),
    '',
    'Providers with what they need',
    ...rows(
      ready.map(({ name }) => [formOf(name), '']),
      terminal,
    ),
    ...(ready.length === 0 ? [paint.dim('  none')] : []),
    '',
    'Other providers',
    ...rows(
      others.map(({ name, lacks }) => [formOf(name), lacks ?? '']),
      terminal,
    ),
    '',
    'On this machine',
    ...rows(
      local.map(({ name, address, models }) => [formOf(name), `${models.join(', ') || 'no model'}, at ${address}`]),
      terminal,
    ),
    ...(local.length === 0 ? [paint.dim('  no server answers')] : []),
  ];
}

/** How a model of the provider is named. */
function formOf(provider: string): string {
  return provider === 'anthropic' ? 'NAME (anthropic)' : `${provider}/NAME`;
}

function rows(pairs: readonly (readonly [string, string] | string[])[], { room }: Terminal): string[] {
  const width = Math.max(0, ...pairs.map(([first = '']) => first.length));
  return pairs.flatMap(([first = '', second = '']) =>
    wrapText(printable(second), room, { lead: `  ${printable(first).padEnd(width)}  ` }).map((line) => line.trimEnd()),
  );
}
