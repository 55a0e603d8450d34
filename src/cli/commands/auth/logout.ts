import { removeKeys, viewAuth } from '../../host/auth-admin.ts';
import { printable } from '../../util/printable.ts';
import { takeWords } from '../command-args.ts';
import { type AuthAction, providerOf } from './auth.ts';
import { keyEnding } from './auth-status.ts';
import { sayLines, tell } from './terminal.ts';

const HELP = `Usage: heddle auth logout [--provider anthropic|openai]

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
    const provider = providerOf(args);
    const gone = await removeKeys(engine.homeOf({ config: args.config }), provider);
    const lines = gone.map(({ origin, apiKey }) => `Removed the key ${keyEnding(apiKey)}for ${printable(origin)}.`);
    sayLines(lines.length > 0 ? lines : ['No key was stored.']);
    const { providers, helper } = await viewAuth(engine, args.config);
    for (const { provider: each, source } of providers) {
      if (source === null || source === 'stored' || (provider !== null && provider !== each)) continue;
      const where = source === 'apiKeyHelper' ? `apiKeyHelper of ${printable(helper ?? '')}` : source;
      tell(`${where} is still set, and is used for ${each}`);
    }
    return 0;
  },
};
