import { explainLaunch } from '../../admin/policy-at-launch.ts';
import { openEngine } from '../../host/engine/engine.ts';
import type { Explanation } from '../../host/permissions/explain-call.ts';
import { tryParseJson } from '../../util/json.ts';
import { printable } from '../../util/text/printable.ts';
import { wrapText } from '../../util/text/wrap-text.ts';
import { usage } from '../flags/args.ts';
import { type CommandArgs, parseCommandArgs, takeWords } from '../flags/command-args.ts';
import { createLogger } from '../terminal/logger.ts';
import { printHelp, terminalOf } from '../terminal/terminal.ts';
import { wrapLogger } from '../terminal/wrap-logger.ts';
import { unknownCommand } from './choose-command.ts';

export const PERMISSIONS_HELP = `Usage: heddle permissions explain --tool NAME --input JSON [options]

Says what would become of a tool call: allow, deny or ask, what decides, and where the rule stands
that does. Nothing is run. Settings files, trust and rules are read as a run in this directory
would read them.

  --tool NAME      the tool: Bash, Edit, WebFetch …
  --input JSON     its input, for example '{"command":"git push"}'
  --json           as JSON

Of a run: --permission-mode, --allowedTools, --disallowedTools, --add-dir, --settings,
--setting-sources, --managed-settings, --trust, --dangerously-skip-permissions,
--allow-dangerously-skip-permissions.

Examples:
  heddle permissions explain --tool Bash --input '{"command":"git push"}'
  heddle permissions explain --tool Edit --input '{"file_path":".env"}' --permission-mode plan

Exit codes: 0 allow, 2 deny, 3 ask (a denial where nobody can be asked), 1 an error.
`;

const EXIT_CODES: Record<Explanation['behavior'], number> = { allow: 0, deny: 2, ask: 3 };

/** `heddle permissions explain …`; resolves with the exit code. */
export async function runPermissions(argv: readonly string[]): Promise<number> {
  const args = parseCommandArgs(argv, {
    command: 'heddle permissions',
    own: { '--tool': 'text', '--input': 'text', '--json': 'switch' },
    run: [
      ...['--permission-mode', '--allowedTools', '--disallowedTools', '--add-dir', '--settings', '--setting-sources'],
      ...['--managed-settings', '--trust', '--dangerously-skip-permissions', '--allow-dangerously-skip-permissions'],
    ],
  });
  const [action, ...words] = args?.words ?? [];
  if (!args || action === undefined) {
    printHelp(PERMISSIONS_HELP);
    return 0;
  }
  if (action !== 'explain') throw unknownCommand('permissions', action, ['explain']);
  takeWords(words, []);
  const explanation = await explain(args);
  process.stdout.write(args.has('--json') ? `${JSON.stringify(explanation, null, 2)}\n` : explanationText(explanation));
  return EXIT_CODES[explanation.behavior];
}

async function explain({ config, text }: CommandArgs): Promise<Explanation> {
  const toolName = text('--tool');
  if (toolName === undefined) throw usage("option '--tool' is missing", { missing: '--tool' });
  const input = tryParseJson(text('--input') ?? '{}');
  if (input === undefined) throw usage(`option '--input' needs JSON, such as '{"command":"git push"}'`);
  const logger = wrapLogger(createLogger(config));
  const engine = openEngine({ cwd: process.cwd(), env: process.env, log: logger.log });
  try {
    return await explainLaunch(engine, { config }, { toolName, input });
  } finally {
    await engine.close();
    logger.close();
  }
}

function explanationText({ behavior, layer, rule, where, reason, pathRules, hooks = [] }: Explanation): string {
  const details: [string, string | undefined][] = [
    ['layer', layer],
    ['rule', rule],
    ['where', where],
    ['reason', reason],
    ['paths', pathRules && pathRulesText(pathRules)],
    ...hooks.map((hook): [string, string] => ['hook', hook]),
  ];
  const { room } = terminalOf(process.stdout, process.env);
  const lines = details.flatMap(([name, value]) => {
    if (value === undefined) return [];
    const lead = `${name}:`.padEnd(8);
    return wrapText(printable(value), room, { lead });
  });
  return [behavior, ...lines].map((line) => `${line}\n`).join('');
}

/** Which line holds rules that deny paths to a command. */
function pathRulesText({ held_by, provider, unavailable }: NonNullable<Explanation['pathRules']>): string {
  if (held_by === 'kernel') return `the kernel holds rules that deny paths (${provider}), whatever program opens them`;
  const why = unavailable === undefined ? 'as permissions.enforcement says' : `because ${unavailable}`;
  return `rules that deny paths hold as far as Heddle can read the command, ${why}`;
}
