import { hookListLines, outcomeText } from '../../admin/hook-text.ts';
import { listHooks } from '../../admin/list-hooks.ts';
import { recordedEvent } from '../../admin/recorded-event.ts';
import { openStored } from '../../admin/sessions.ts';
import { testHooks } from '../../admin/try-hooks.ts';
import { type Engine, openEngine } from '../../host/engine/engine.ts';
import { isObject, type JsonObject, tryParseJson } from '../../util/json.ts';
import { wrapText } from '../../util/text/wrap-text.ts';
import { usage } from '../flags/args.ts';
import { type CommandArgs, parseCommandArgs, takeWords } from '../flags/command-args.ts';
import { createLogger } from '../terminal/logger.ts';
import { printHelp, printJson, printLines, printRemark, terminalOf } from '../terminal/terminal.ts';
import { wrapLogger } from '../terminal/wrap-logger.ts';
import { unknownCommand } from './choose-command.ts';
import { openSessionsLocation } from './sessions-location.ts';

export const HOOKS_HELP = `Usage: heddle hooks list [options]
       heddle hooks test EVENT [options]

list shows the hooks that a run in this directory would have, and where they stand. Nothing is run.
test runs the hooks that fit an event, and shows what they say and what would come of it. Nothing
else happens: no tool runs, no prompt is sent.

  --input JSON       what the event tells, such as '{"tool_name":"Bash","tool_input":{}}'
  --tool NAME        the tool of a tool event, where --input does not say
  --session SESSION  the latest event of this kind in a session: its last tool call, its last prompt
  --json             as JSON

Of a run: --settings, --setting-sources, --managed-settings, --permission-mode, --trust.

Examples:
  heddle hooks list
  heddle hooks test PreToolUse --tool Bash --input '{"tool_input":{"command":"git push"}}'
  heddle hooks test UserPromptSubmit --session 3f2a91c0

Exit codes of test: 0 nobody objects, 2 a denial or an objection, 3 a hook asks first, 1 an error.
`;

/** `heddle hooks …`; resolves with the exit code. */
export async function runHooks(argv: readonly string[]): Promise<number> {
  const args = parseCommandArgs(argv, {
    command: 'heddle hooks',
    own: { '--input': 'text', '--tool': 'text', '--session': 'text', '--json': 'switch' },
    run: ['--settings', '--setting-sources', '--managed-settings', '--permission-mode', '--trust'],
  });
  const [action, ...words] = args?.words ?? [];
  if (!args || action === undefined) {
    printHelp(HOOKS_HELP);
    return 0;
  }
  const logger = wrapLogger(createLogger(args.config));
  const engine = openEngine({ cwd: process.cwd(), env: process.env, log: logger.log });
  try {
    if (action === 'list') return await list(engine, args, words);
    if (action === 'test') return await test(engine, args, words);
    throw unknownCommand('hooks', action, ['list', 'test']);
  } finally {
    await engine.close();
    logger.close();
  }
}

async function list(engine: Engine, args: CommandArgs, words: readonly string[]): Promise<number> {
  takeWords(words, []);
  const listed = await listHooks(engine, { config: args.config });
  const lines = hookListLines(listed);
  const { room } = terminalOf(process.stdout, process.env);
  if (args.has('--json')) printJson(listed);
  else printLines(lines.flatMap((line) => wrapText(line, room, { hang: 4 })));
  if (lines.length === 0 && !args.has('--json'))
    printRemark('there are no hooks here (they stand under hooks in settings files)');
  return 0;
}

async function test(engine: Engine, args: CommandArgs, words: readonly string[]): Promise<number> {
  const [event = ''] = takeWords(words, ['EVENT']);
  const payload = await payloadOf(event, args);
  const outcome = await testHooks(engine, { config: args.config }, { event, payload }, new AbortController().signal);
  process.stdout.write(args.has('--json') ? `${JSON.stringify(outcome, null, 2)}\n` : outcomeText(outcome));
  const { decision, block, stop, permission } = outcome;
  if (decision?.behavior === 'deny' || permission?.behavior === 'deny' || block !== null || stop) return 2;
  return decision?.behavior === 'ask' ? 3 : 0;
}

async function payloadOf(event: string, args: CommandArgs): Promise<JsonObject> {
  const tool = args.text('--tool');
  const session = args.text('--session');
  if (session !== undefined) {
    const { loaded } = await openStored(session, openSessionsLocation(args));
    const entries = loaded.flatMap((item) => ('entry' in item ? [item.entry] : []));
    return recordedEvent(entries, event, tool);
  }
  const input = tryParseJson(args.text('--input') ?? '{}');
  if (!isObject(input))
    throw usage(`option '--input' needs a JSON object, such as '{"tool_name":"Bash","tool_input":{}}'`);
  return tool === undefined ? input : { tool_name: tool, tool_input: {}, ...input };
}
