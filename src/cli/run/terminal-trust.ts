import { realpathSync } from 'node:fs';
import { trustDirectory } from '../../admin/trust.ts';
import { viewTrust } from '../../host/launch/view-trust.ts';
import type { ProjectTrust } from '../../tui/stage/trust-decision.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { RunConfig } from '../../wire/run-config.ts';

/** The trust of a person at a terminal in the files of a directory. A decision for the session changes `config`. */
export function projectTrust(cwd: string, home: string, config: RunConfig): ProjectTrust {
  const directory = realpathSync(cwd);
  // A file that cannot be read stops the session, which says so better.
  const look = () => {
    try {
      return viewTrust(directory, home);
    } catch {
      return null;
    }
  };
  const shown = look();
  return {
    async view() {
      const files = (shown?.files ?? []).filter(({ needsTrust }) => needsTrust.length > 0);
      if (!shown || shown.trust === 'trusted' || files.length === 0) return null;
      const parts = files.map(({ file, needsTrust }) => ({ file, parts: needsTrust }));
      return { directory, hasChanged: shown.trust === 'changed', files: parts };
    },
    async decide(decision) {
      if (decision === 'not-now' || !shown) return;
      if (look()?.hash !== shown.hash) {
        throw new HeddleError('invalid_settings', 'The files have changed since they were shown: they are not trusted');
      }
      if (decision === 'always') await trustDirectory(shown, home);
      else config.trust = true;
    },
  };
}
