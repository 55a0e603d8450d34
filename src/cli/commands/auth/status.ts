import { type AuthView, type ProviderAuth, projectsFolder, viewAuth } from '../../../admin/auth.ts';
import { type ProviderView, viewProvider } from '../../../admin/provider-view.ts';
import { openLaunchContext } from '../../../host/launch/launch-context.ts';
import { printable } from '../../../util/text/printable.ts';
import { takeWords } from '../../flags/command-args.ts';
import { columns } from '../../terminal/show-value.ts';
import { printJson, printLines, printRemark, terminalOf } from '../../terminal/terminal.ts';
import { type AuthAction, providerOf } from './auth-action.ts';

const HELP = `Usage: heddle auth status [--json | --text] [--provider NAME] [options]

Says whether a run in this directory has a credential for the model that it would ask, and where it
comes from. Nobody is asked whether the key is right, and no helper is run (heddle -p "hi" does).

  --json       as JSON, which is also what programs get that read it through a pipe: {loggedIn,
               authMethod, apiProvider, apiKeySource?, configDirectory, projectsDirectory, model,
               providers: [{provider, loggedIn, authMethod, source, origin, stored}], …}
  --text       for people, which is what a terminal gets
  --provider   of this provider, whichever model would be asked

Of a run: --model, --settings, --setting-sources, --managed-settings, --trust.

Examples:
  heddle auth status
  heddle auth status --json --model openai/gpt-5

Exit codes: 0 there is a credential, or none is needed; 1 there is none.
`;

export const status: AuthAction = {
  help: HELP,
  flags: { '--json': 'switch', '--text': 'switch', '--provider': 'text' },
  run: ['--model', '--settings', '--setting-sources', '--managed-settings', '--trust'],
  async act(args, engine) {
    takeWords(args.words, []);
    const view = await viewAuth(engine, args.config);
    const { env } = await openLaunchContext(engine, { config: args.config });
    const named = providerOf(args, env);
    const provider = named ?? view.provider;
    const auth = view.providers.find((each) => each.provider === provider) ?? null;
    const isNamed = named !== null && auth === null;
    const other = isNamed ? await viewProvider(engine, named, { env, configHome: view.configHome }) : view.elsewhere;
    const elsewhere = auth === null ? other : null;
    const isText = args.has('--text') || (process.stdout.isTTY === true && !args.has('--json'));
    if (isText) printLines(columns(rowsOf(view, auth, elsewhere), terminalOf(process.stdout, process.env)));
    else printJson(reportOf(view, auth, elsewhere));
    if (view.problem !== null) printRemark(printable(view.problem));
    return (auth ?? elsewhere)?.isReady === false ? 1 : 0;
  },
};

/** The fields that hosts of the reference read, followed by Heddle's own. */
function reportOf(view: AuthView, auth: ProviderAuth | null, elsewhere: ProviderView | null) {
  const source = auth?.method === 'oauth_token' ? null : (auth?.source ?? elsewhere?.source ?? null);
  return {
    loggedIn: (auth ?? elsewhere)?.isReady !== false,
    authMethod: auth?.method ?? (elsewhere?.source ? 'api_key' : 'none'),
    apiProvider: apiProvider(auth?.provider ?? elsewhere?.name ?? null),
    ...(source !== null && { apiKeySource: source === 'stored' ? '/login managed key' : source }),
    analyticsDisabled: true,
    projectsDirectory: projectsFolder(view.configHome),
    configDirectory: view.configHome,
    loginExpiresAt: null,
    model: view.model,
    providers: view.providers.map(({ provider, isReady, method, source: from, origin, stored }) => ({
      ...{ provider, loggedIn: isReady, authMethod: method, source: from, origin },
      stored: stored !== null,
    })),
  };
}

function apiProvider(provider: string | null): string {
  if (provider === null) return 'none';
  return provider === 'anthropic' ? 'firstParty' : provider;
}

function rowsOf(view: AuthView, auth: ProviderAuth | null, elsewhere: ProviderView | null): string[][] {
  return [
    ['model', view.model === null ? 'a recording' : printable(view.model)],
    ['credential', auth === null ? elsewhereText(elsewhere) : credentialText(auth, view)],
    ...view.providers
      .filter(({ provider, source }) => provider !== auth?.provider && source !== null)
      .map((other) => [other.provider, credentialText(other, view)]),
    ['config home', printable(view.configHome)],
  ];
}

function elsewhereText(elsewhere: ProviderView | null): string {
  if (elsewhere === null) return 'none is needed';
  const { name, lacks } = elsewhere;
  const source = elsewhere.source === 'stored' ? 'the stored key' : elsewhere.source;
  return printable(
    lacks ?? (source === null ? `found when ${name} is asked, if it needs one` : `${source}, for ${name}`),
  );
}

function credentialText({ provider, source, origin, stored, isReady }: ProviderAuth, { helper }: AuthView): string {
  const where = printable(origin ?? 'an address that is no URL');
  if (source === 'stored') return `the stored key ${stored ? keyEnding(stored.apiKey) : ''}for ${where}`;
  if (source === 'apiKeyHelper') return `apiKeyHelper of ${printable(helper ?? '')}, for ${where}`;
  const unused = stored ? `; the stored key ${keyEnding(stored.apiKey)}is not used` : '';
  if (source !== null) return `${source}, for ${where}${unused}`;
  if (isReady) return `none is needed at ${where}`;
  const login = provider === 'anthropic' ? 'heddle auth login' : `heddle auth login --provider ${provider}`;
  return `none for ${where}: ${login}, or set ${provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'}`;
}

/** The last characters of a long key, enough to recognize it; nothing of a short key. */
export function keyEnding(apiKey: string): string {
  return apiKey.length >= 24 ? `…${apiKey.slice(-4)} ` : '';
}
