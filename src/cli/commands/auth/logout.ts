import { removeKeys, viewAuth } from '../../../admin/auth.ts';
import { openLaunchContext } from '../../../host/launch/launch-context.ts';
import { printable } from '../../../util/text/printable.ts';
import { takeWords } from '../../flags/command-args.ts';
import { printLines, printRemark } from '../../terminal/terminal.ts';
import { type AuthAction, providerOf } from './auth-action.ts';
import { keyEnding } from './status.ts';

const HELP = `Usage: heddle auth logout [--provider NAME]

Removes the API keys that heddle auth login has stored: those of a provider, or all. What else a run
would use (a variable, apiKeyHelper) is named, and left alone.

Examples:
  heddle auth logout
  heddle auth logout --provider openai
`;

export const logout: AuthAction = {
  help: HELP,
  flags: { '--provider': 'text' },
  async act(args, engine) {
    takeWords(args.words, []);
    const { env } = await openLaunchContext(engine, { config: args.config });
    const provider = providerOf(args, env);
    const gone = await removeKeys(engine.homeOf({ config: args.config }), provider);
    const lines = gone.map(({ origin, apiKey }) => `Removed the key ${keyEnding(apiKey)}for ${printable(origin)}.`);
    printLines(lines.length > 0 ? lines : ['No key was stored.']);
    const { providers, helper } = await viewAuth(engine, args.config);
    for (const { provider: each, source } of providers) {
      if (source === null || source === 'stored' || (provider !== null && provider !== each)) continue;
      const where = source === 'apiKeyHelper' ? `apiKeyHelper of ${printable(helper ?? '')}` : source;
      printRemark(`${where} is still set, and is used for ${each}`);
    }
    return 0;
  },
};
