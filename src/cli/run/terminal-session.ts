import type { SharedSession } from '../../host/hosts/share-session.ts';
import type { TuiEnd } from '../../tui/app/tui-options.ts';
import type { Transport } from '../../wire/link/transport.ts';
import type { Launch } from '../../wire/run-config.ts';
import { giveTerminalBack } from './give-terminal-back.ts';
import { type OwnSession, ownSession } from './own-session.ts';
import { openProcessEngine } from './run.ts';

const HANGUP_CODE = 129;

/** The engine behind a terminal, and the session that the terminal drives. */
export interface TerminalSessions {
  newId(): string;
  /** Opens a session; from then on it is the one of this terminal. */
  connect(launch: Launch): Transport;
  /** The terminal is left; the session may continue. Resolves with the exit code when it is over. */
  outlive(end: TuiEnd): Promise<number>;
  close(): Promise<void>;
}

export function openTerminalSessions(): TerminalSessions {
  // Warnings reach the terminal by the launch.
  const engine = openProcessEngine(() => {});
  let session: OwnSession | null = null;
  return {
    newId: () => engine.runtime.ids.uuid(),
    connect(launch) {
      session = ownSession(engine, launch);
      return session.shared.own({ role: 'drive', name: `the terminal of process ${process.pid}` });
    },
    async outlive({ exitCode, lines }) {
      const { stdout } = process;
      const isHungUp = exitCode === HANGUP_CODE;
      if (!isHungUp) for (const line of lines) stdout.write(`${line}\n`);
      if (!session || isOver(session.shared)) return exitCode;
      if (!isHungUp && !(await giveTerminalBack())) stdout.write(`${KEPT}\n`);
      const code = await session.outlive(isHungUp ? undefined : 'detach');
      return isHungUp ? HANGUP_CODE : code;
    },
    close: () => engine.close(),
  };
}

const KEPT = 'No shell has taken this terminal back. Close it: the session continues without it.';

function isOver({ hub }: SharedSession): boolean {
  return !hub.isReady() || hub.hosts.some((host) => host.isAwaited);
}
