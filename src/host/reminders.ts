import { environmentReminder } from '../agent/prompt.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { Parts } from './assemble.ts';
import type { Engine } from './engine.ts';
import type { SessionSandbox } from './sandbox.ts';
import type { OpenTranscript } from './transcript.ts';

/** Tells when the facts of the place and the day are news to the model. */
export function reminders(
  engine: Engine,
  transcript: OpenTranscript,
  workspace: Workspace,
  sandbox: SessionSandbox,
): Pick<Parts, 'reminder' | 'reminded'> {
  let last = transcript.lastReminder;
  return {
    reminder() {
      const text = environmentReminder({
        cwd: workspace.cwd,
        additionalDirectories: workspace.roots.filter((root) => root !== workspace.cwd),
        platform: engine.platform,
        date: localDate(engine.runtime.clock.now()),
        gitBranch: transcript.gitBranch,
        sandbox: sandbox.describe(),
      });
      return text === last ? null : text;
    },
    reminded(text) {
      last = text;
    },
  };
}

/** By hand: the first use of Intl costs more than the rest of the start. */
function localDate(now: number): string {
  const date = new Date(now);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
