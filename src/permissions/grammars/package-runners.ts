import type { SimpleCommand, Word } from '../shell/shell-script.ts';
import { type Argv, type Findings, type Grammar, neverKnown } from './grammar.ts';

/** Options of npm and its kin that neither name a program nor a file with settings. */
const NPM =
  'D,save-dev S,save P,save-prod O,save-optional E,save-exact B,save-bundle no-save g,global w,workspace=text ws,workspaces include-workspace-root if-present s,silent q,quiet d,dd,ddd verbose loglevel=text ignore-scripts no-audit audit no-fund fund legacy-peer-deps strict-peer-deps f,force production omit=text include=text only=text prefer-offline prefer-online offline dry-run json long l parseable p depth=text a,all tag=text access=text otp=text y,yes no-progress progress package-lock-only no-package-lock package-lock install-links audit-level=text no-color color=?text foreground-scripts engine-strict frozen-lockfile no-frozen-lockfile no-lockfile r,recursive F,filter=text parallel stream aggregate-output no-bail bail if-present lockfile-only immutable prod dev no-optional ignore-engines non-interactive exact pure-lockfile network-timeout=text check-files cwd=at C,dir=at prefix=at shamefully-hoist workspace-root resume-from=text reporter=text h,help v,version no-strict-peer-dependencies save-peer';

const NPM_COMMANDS =
  /^(?:install|i|in|add|ci|clean-install|install-test|it|run|run-script|rum|urn|test|t|tst|start|stop|restart|publish|pack|ls|list|la|ll|outdated|audit|view|v|info|show|version|whoami|prune|dedupe|ddp|uninstall|un|rm|remove|r|unlink|update|up|upgrade|cache|root|prefix|bin|doctor|fund|rebuild|rb|explain|why|search|ping|login|logout|dist-tag|deprecate|owner|access|team|token|help|docs|repo|bugs|completion|licenses|workspaces|workspace|store|import|fetch|patch-remove|set|constraints)$/;
const RUNS_SCRIPT = /^(?:run|run-script|rum|urn|test|t|tst|start|stop|restart|workspace)$/;

/** Programs that fetch packages and run what is in them. */
export const PACKAGE_RUNNERS: readonly Grammar[] = [
  { names: 'npm', read: (command, found) => packageManager(command, found) },
  { names: 'pnpm', read: (command, found) => packageManager(command, found) },
  { names: 'yarn yarnpkg', read: (command, found) => packageManager(command, found) },
  {
    names: 'npx pnpx bunx',
    options: 'y,yes no no-install q,quiet p,package=text c,call=sh w,workspace=text prefer-offline bun',
    operands: 'argv',
    optionsFirst: true,
    exact: true,
  },
  { names: 'pip pip3 pipx', read: pip },
  { names: 'uv poetry pipenv pdm hatch rye bundle bundler', read: environmentRunner },
  {
    names: 'gem',
    options:
      'v,version=text N,no-document user-install q,quiet l,local r,remote a,all i,install-dir=out conservative minimal-deps',
    operands: 'text*',
    exact: true,
    more: (argv, found) =>
      verb(
        argv,
        /^(?:install|list|update|uninstall|search|outdated|env|environment|info|specification|build|push|cleanup|dependency|contents|which)$/,
        found,
      ),
  },
  {
    names: 'composer',
    options:
      'n,no-interaction no-dev o,optimize-autoloader no-scripts prefer-dist ignore-platform-reqs q,quiet v vv vvv dev no-progress W,with-all-dependencies',
    operands: 'text any*',
    exact: true,
    more: (argv, found) =>
      verb(
        argv,
        /^(?:install|update|require|remove|dump-autoload|dumpautoload|show|validate|outdated|audit|run-script|run|test|licenses|why)$/,
        found,
      ),
  },
  {
    names: 'apt apt-get aptitude',
    options:
      'y,yes,assume-yes q,quiet=?text qq no-install-recommends install-recommends f,fix-broken s,simulate d,download-only m,fix-missing reinstall purge autoremove only-upgrade allow-downgrades u V U',
    operands: 'text*',
    exact: true,
  },
  { names: 'apt-cache', options: 'n,names-only a,all-versions i', operands: 'text*', exact: true },
  {
    names: 'dpkg dpkg-query',
    options:
      'l,list L,listfiles s,status S,search p,print-avail get-selections W,show f,showformat=text i,install r,remove print-architecture compare-versions',
    operands: 'text*',
    exact: true,
  },
  {
    names: 'rpm',
    options: 'q,query a,all i l f,file R s,state p v h',
    operands: 'text*',
    exact: true,
    more: (argv, found) => (argv.has('q') ? undefined : found.doubt('it may run scripts of a package')),
  },
  {
    names: 'dnf yum microdnf apk pacman zypper brew port winget choco scoop',
    options: 'y,assumeyes q,quiet v,verbose no-cache U u S,sync=never virtual=text cask formula versions json=?text t',
    operands: 'text*',
    exact: true,
    more: (argv, found) =>
      verb(
        argv,
        /^(?:install|add|del|remove|update|upgrade|search|info|list|outdated|uninstall|deps|leaves|autoremove|cleanup|tap|untap|makecache|check-update|provides|repolist|clean|reinstall|doctor|home|cat|fetch|policy|services)$/,
        found,
      ),
  },
  neverKnown(
    'corepack volta nvm fnm n nodenv rbenv pyenv jenv sdk sdkman conda mamba micromamba opam luarocks cpan cpanm create-react-app degit cookiecutter yeoman yo plop hygen',
    'it runs what it fetches or finds',
  ),
];

function packageManager({ words }: SimpleCommand, found: Findings) {
  found.changes();
  found.readBy(
    {
      names: '',
      options: NPM,
      operands: 'text*',
      optionsFirst: true,
      exact: true,
      more: (argv, inner) => managed(argv.operands, inner),
    },
    words,
  );
}

/** What follows the options: a subcommand, or the name of a script. */
function managed([name, ...rest]: readonly Word[], found: Findings) {
  if (name === undefined) return;
  if (typeof name !== 'string') return found.doubt('its subcommand is not known beforehand');
  if (/^(?:exec|x|dlx|node)$/.test(name)) return starter(rest, name, found);
  if (
    /^(?:init|create|config|c|set-script|edit|explore|link|ln|patch|patch-commit|env|setup|deploy|plugin|self-update|policies|unplug)$/.test(
      name,
    )
  ) {
    const isPlain = rest.every((word) => word === '-y' || word === '--yes' || word === 'get' || word === 'list');
    return isPlain ? undefined : found.doubt('its subcommand can run other programs');
  }
  // They pack all files below, or below the directory that they are given.
  if (name === 'pack' || name === 'publish') {
    const folders = rest.filter((word) => typeof word !== 'string' || !word.startsWith('-'));
    for (const folder of folders.length === 0 ? ['.'] : folders) found.file(folder, 'tree');
  }
  // Where a script of this name is missing, pnpm starts a program of this name.
  const isScript = !NPM_COMMANDS.test(name);
  if (isScript && found.program === 'npm') return found.doubt('its subcommand is not known');
  if (isScript && found.program === 'pnpm') found.starts([name, ...rest]);
  const dashes = rest.indexOf('--');
  const own = dashes === -1 ? rest : rest.slice(0, dashes);
  if (dashes !== -1) found.passes(rest.slice(dashes + 1));
  // Options after the name of a script belong to the script, except with npm.
  const handsOn = (isScript || RUNS_SCRIPT.test(name)) && found.program !== 'npm';
  if (handsOn) found.passes(own);
  else found.readBy({ names: '', options: NPM, operands: 'any*', exact: true }, own);
}

/** `npm exec -- tsc`, `pnpm dlx tsc`, `npm exec -c code`. */
function starter(words: readonly Word[], name: string, found: Findings) {
  if (name === 'node') return found.starts(['node', ...words]);
  const [first, ...rest] = words;
  if (first === '--') return found.starts(rest);
  const options = 'y,yes no p,package=text c,call=sh q,quiet w,workspace=text';
  found.readBy({ names: '', options, operands: 'argv', optionsFirst: true, exact: true }, words);
}

const PIP =
  'r,requirement=in c,constraint=in e,editable=text U,upgrade user q,quiet v,verbose no-deps pre t,target=out no-cache-dir i,index-url=text extra-index-url=text no-index f,find-links=text force-reinstall I,ignore-installed no-build-isolation upgrade-strategy=text no-input disable-pip-version-check break-system-packages trusted-host=text timeout=text retries=text require-hashes only-binary=text no-binary=text prefer-binary d,dest=out w,wheel-dir=out y,yes o,outdated format=text files l,local not-required all exclude=text dry-run report=out cache-dir=out root-user-action=text progress-bar=text no-warn-script-location use-pep517 platform=text python-version=text V,version';

function pip({ words }: SimpleCommand, found: Findings) {
  found.changes();
  found.readBy(
    {
      names: '',
      options: PIP,
      operands: 'text any*',
      exact: true,
      more: (argv, inner) =>
        verb(
          argv,
          /^(?:install|uninstall|list|show|freeze|check|download|wheel|cache|index|inspect|hash|help|upgrade|ensurepath)$/,
          inner,
        ),
    },
    words,
  );
}

const ENVIRONMENT_COMMANDS =
  /^(?:sync|add|remove|lock|install|update|show|list|tree|export|build|publish|init|new|version|check|env|pip|venv|python|tool|cache|self|config|outdated|audit|lockfile|clean|graph|doctor|info|why|upgrade)$/;

/** `poetry run cmd`, `uv run cmd`, `bundle exec cmd`. */
function environmentRunner({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const [name, ...rest] = words;
  if (name === 'run' || name === 'exec') {
    const plain = rest.findIndex(
      (word) =>
        typeof word !== 'string' ||
        !/^(?:--(?:frozen|locked|no-sync|offline|quiet|all-extras|no-dev|dev|isolated)|-q)$/.test(word),
    );
    const command = plain === -1 ? [] : rest.slice(plain);
    if (typeof command[0] === 'string' && command[0].startsWith('-')) return found.doubt('its options are not known');
    return found.starts(command);
  }
  if (name === 'pip') return found.starts(['pip', ...rest]);
  const isPlain = (word: Word) =>
    typeof word === 'string' &&
    (!word.startsWith('-') ||
      /^--?(?:dev|group|no-dev|D|G|frozen|locked|quiet|q|verbose|v|all-extras|extra|E|upgrade|U|without|with|only|no-root|no-interaction|n|deployment|jobs|path|version|python|p|seed|system|r|sync|optional|all|help)(?:=.*)?$/.test(
        word,
      ));
  if (name === undefined || name === '--version') return;
  if (typeof name !== 'string' || !ENVIRONMENT_COMMANDS.test(name) || !rest.every(isPlain) || rest.includes('run'))
    return found.doubt('its subcommand or an option of it is not known');
  found.passes(rest);
}

function verb({ operands: [name] }: Argv, known: RegExp, found: Findings) {
  if (typeof name !== 'string' || !known.test(name)) found.doubt('its subcommand is not known');
}
