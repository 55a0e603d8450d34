import { serveAcp } from '../../acp/serve-acp.ts';
import { stdioTransport } from '../../host/serve/stdio.ts';
import { Aborted } from '../../util/abort.ts';
import { printable } from '../../util/text/printable.ts';
import { usage } from '../flags/args.ts';
import { type CommandArgs, parseCommandArgs, takeWords } from '../flags/command-args.ts';
import { openProcessEngine } from '../run/run.ts';
import { createLogger } from '../terminal/logger.ts';
import { onSignals } from '../terminal/signals.ts';
import { printHelp } from '../terminal/terminal.ts';
import { countFlag } from './sessions-location.ts';

export const ACP_HELP = `Usage: heddle acp [options]

Serves an editor over the Agent Client Protocol (version 1): lines of JSON-RPC on stdin and stdout.
Editors start it themselves; docs/editors.md has the lines to paste for Zed, JetBrains, Neovim and
Emacs. One process serves all sessions of an editor, and ends with it.

  --acp-ask-timeout SECONDS   how long a permission question waits for the editor before the call
                              is denied (default 600; 0: for ever)
  --acp-replay FROM           where session/load begins: start (default), or last-compaction

Of a run, for every session: --model, --fallback-model, --effort, --permission-mode,
--allowedTools, --disallowedTools, --add-dir, --agent, --settings, --setting-sources,
--managed-settings, --trust, --mcp-config, --strict-mcp-config, --plugin-dir,
--append-system-prompt, --allow-dangerously-skip-permissions.

Examples:
  heddle acp
  heddle acp --model sonnet --permission-mode plan

Exit codes: 0 the editor has ended it, 1 an error, 130 SIGINT, 143 SIGTERM.
`;

const RUN_FLAGS = [
  ...['--model', '--fallback-model', '--effort', '--permission-mode', '--allowedTools', '--disallowedTools'],
  ...['--add-dir', '--agent', '--settings', '--setting-sources', '--managed-settings', '--trust', '--mcp-config'],
  ...['--strict-mcp-config', '--plugin-dir', '--append-system-prompt', '--allow-dangerously-skip-permissions'],
];

const ASK_SECONDS = 600;

/** `heddle acp`; resolves with the exit code when the editor has closed its side. */
export async function runAcp(argv: readonly string[]): Promise<number> {
  const own = { '--acp-ask-timeout': 'text', '--acp-replay': 'text' } as const;
  const args = parseCommandArgs(argv, { command: 'heddle acp', own, run: RUN_FLAGS });
  if (!args) {
    printHelp(ACP_HELP);
    return 0;
  }
  takeWords(args.words, []);
  const askTimeoutMs = countFlag(args, '--acp-ask-timeout', ASK_SECONDS) * 1000;
  const replayFrom = replayOf(args);
  const { config } = args;
  const logger = createLogger(config);
  const engine = openProcessEngine(logger.log);
  const stop = new AbortController();
  const signals = onSignals(stop);
  const transport = stdioTransport(process.stdin, process.stdout);
  transport.onReaderGone(() => stop.abort(new Aborted('shutdown', 'The reader of stdout is gone')));
  try {
    const { signal } = stop;
    await serveAcp(transport, { engine, config, cwd: process.cwd(), askTimeoutMs, replayFrom, signal });
    return signals.exitCode() ?? 0;
  } finally {
    await engine.close();
    logger.close();
    signals.dispose();
  }
}

function replayOf({ text }: CommandArgs): 'start' | 'last-compaction' {
  const given = text('--acp-replay') ?? 'start';
  if (given === 'start' || given === 'last-compaction') return given;
  throw usage(`option '--acp-replay' is start or last-compaction, not '${printable(given)}'`);
}
