import { HeddleError } from '../../wire/errors.ts';
import type { RequestHandler } from '../../wire/link/peer.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { createAsker } from './asker.ts';
import type { CliLogger } from './logger.ts';
import { openProgress, type Progress } from './progress.ts';
import { lineReader } from './read-line.ts';
import type { Renderer } from './renderer.ts';
import { openScreen } from './screen.ts';
import { terminalOf } from './terminal.ts';
import { createView } from './view.ts';

export { openProgress };

/** A person at a terminal as the client of a run, who sees what it does and answers its questions. */
export interface Person {
  renderer: Renderer;
  progress: Progress | null;
  readonly onRequest: RequestHandler;
  /** Additional options of a run for a person. */
  config: RunConfig;
}

export function personAt(config: RunConfig, logger: CliLogger, signal: AbortSignal): Person {
  const { stdin, stdout, stderr, env } = process;
  const screen = openScreen(process);
  const { paint } = terminalOf(stderr, env);
  const width = () => (stderr.columns || stdout.columns || 80) - 1;
  const view = createView({ screen, paint, width, cwd: process.cwd() });
  const output = stderr.isTTY ? stderr : stdout;
  const reader = lineReader({ stdin, output, isDumb: env.TERM === 'dumb' });
  const asker = createAsker({
    print: screen.print,
    read: reader.read,
    paint,
    cwd: process.cwd(),
    width,
    // As if the terminal had sent it: the run ends as with Ctrl-C at any other moment.
    onInterrupt: () => void process.emit('SIGINT'),
  });
  const mayDraw = () => screen.isFree() && !asker.isAsking();
  const progress = config.noProgress ? null : openProgress(signal, { stderr, env, cwd: () => process.cwd(), mayDraw });
  screen.progress = progress;
  logger.beforeLine = () => {
    screen.endLine();
    progress?.erase();
    if (asker.isAsking()) output.write('\n');
  };
  return {
    progress,
    renderer: {
      show(message) {
        view.show(message);
        return undefined;
      },
      end: () => screen.endLine(),
      hasReportedFailure: view.hasEnded,
    },
    onRequest(request, context) {
      if (request.subtype === 'can_use_tool') return asker.ask(request, context.signal);
      throw new HeddleError('not_supported', `A run in a terminal cannot answer ${request.subtype}`);
    },
    config: { includePartialMessages: true, permissionPromptTool: config.permissionPromptTool ?? 'stdio' },
  };
}
