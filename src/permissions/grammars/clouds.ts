import type { SimpleCommand, Word } from '../shell/shell-script.ts';
import type { Findings, Grammar } from './grammar.ts';

const TERRAFORM =
  'chdir=at out=out var=text var-file=in target=text replace=text input=text auto-approve lock=text lock-timeout=text no-color json refresh=text refresh-only destroy parallelism=text state=in state-out=out backup=out backend=text backend-config=text upgrade reconfigure migrate-state force-copy get=text lockfile=text detailed-exitcode compact-warnings recursive check diff list=text write=text raw allow-missing draw-cycles type=text module-depth=text update version help !plugin-dir !from-module';
const TERRAFORM_COMMANDS =
  /^(?:init|plan|apply|validate|fmt|show|output|version|providers|state|workspace|destroy|refresh|graph|get|import|taint|untaint|force-unlock)$/;
const HELM =
  'n,namespace=text A,all-namespaces o,output=text kube-context=text q,short a,all d,date r,reverse m,max=text l,selector=text f,filter=text deployed failed pending superseded uninstalled offset=text time-format=text no-headers revision=text show-desc show-resources template=text short max-col-width=text versions devel version=text regexp fail-on-no-result';

/** Clients of clouds, and of what runs there. */
export const CLOUDS: readonly Grammar[] = [
  // What its files say is run as a makefile is; expressions on its input could show any file.
  {
    names: 'terraform tofu',
    options: TERRAFORM,
    operands: 'text any*',
    oneDash: true,
    more: ({ operands: [name] }, found) => {
      if (name !== undefined && !(typeof name === 'string' && TERRAFORM_COMMANDS.test(name)))
        found.doubt('its subcommand is not known');
    },
  },
  {
    names: 'helm',
    options: HELM,
    operands: 'text*',
    exact: true,
    more: ({ operands: [name] }, found) => {
      if (!(typeof name === 'string' && /^(?:list|ls|status|history|hist|version|search|env|repo)$/.test(name)))
        found.doubt('its subcommand can run other programs, or take in files');
    },
  },
  { names: 'aws', read: aws },
  { names: 'gh glab', read: hub },
];

/** Listings, and copies of files to and from a bucket. Values can be read from files: `file://x`. */
function aws({ words }: SimpleCommand, found: Findings) {
  found.changes();
  if (!words.every((word) => typeof word === 'string')) return found.doubt('a word of it is not known beforehand');
  const texts = words.filter((word) => typeof word === 'string');
  const opens = /file[a-z]*:|@=|^--(?:cli-input-|ca-bundle|endpoint-url|debug|generate-cli-skeleton)/i;
  if (texts.some((text) => opens.test(text))) return found.doubt('a value of it may come from a file');
  const [service = '', operation = '', ...rest] = withoutGlobals(texts);
  if (service === '--version') return;
  if (service === 's3' && /^(?:cp|mv|sync)$/.test(operation)) return copies(rest, operation, found);
  const isListing =
    /^[a-z][a-z0-9-]*$/.test(service) &&
    (/^(?:ls|list|describe|list-[a-z-]+|describe-[a-z-]+)$/.test(operation) ||
      (service === 'sts' && operation === 'get-caller-identity'));
  if (!isListing || service === 'configure') found.doubt('what its subcommand does with files cannot be told');
}

/** Options that may stand before the service. */
function withoutGlobals(words: readonly string[]): string[] {
  const at = words.findIndex(
    (word, each) =>
      !/^--(?:profile|region|output|color|no-cli-pager)/.test(word) &&
      !/^--(?:profile|region|output|color)$/.test(words[each - 1] ?? ''),
  );
  return at === -1 ? [] : words.slice(at);
}

const COPY_FLAGS =
  /^--(?:recursive|delete|dryrun|quiet|only-show-errors|no-progress|follow-symlinks|no-follow-symlinks|size-only|exact-timestamps)$/;
const COPY_VALUES = /^--(?:exclude|include|acl|storage-class|cache-control|content-type|profile|region|sse)$/;

function copies(words: readonly string[], operation: string, found: Findings) {
  const paths: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (COPY_VALUES.test(word)) at++;
    else if (!word.startsWith('--')) paths.push(word);
    else if (!COPY_FLAGS.test(word)) return found.doubt(`${word.slice(0, 40)} is not among the options that are known`);
  }
  const [source = '', target = ''] = paths;
  if (paths.length !== 2) return found.doubt('what it copies cannot be told');
  if (!source.startsWith('s3://')) {
    found.file(source, 'tree');
    if (operation === 'mv') found.file(source, 'taken');
  }
  if (!target.startsWith('s3://')) found.file(target, 'taken');
}

const HUB_COMMANDS =
  /^(?:pr|mr|issue|repo|run|release|search|label|status|browse|gist|cache|ruleset|project|milestone|variable|org)$/;
const HUB_STARTS =
  /^(?:clone|fork|create|checkout|co|sync|edit|download|upload|delete|archive|develop|set|import|rename)$/;
const HUB_FILES = /^(?:-F|--(?:body-file|notes-file|template|recover|input|body-text-file|env-file))$/;

/** Words are texts; some options name files. It starts git, and an editor only without a text. */
function hub({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const [group, action] = words;
  if (group === '--version' || group === 'version') return;
  if (typeof group !== 'string' || !HUB_COMMANDS.test(group)) return found.doubt('its subcommand is not known');
  const isTexts = /^(?:pr|mr|issue)$/.test(group) && (action === 'create' || action === 'edit');
  if (group !== 'pr' && group !== 'mr' && group !== 'issue' && typeof action === 'string' && HUB_STARTS.test(action))
    return found.doubt('what it does with files cannot be told');
  if (/^(?:checkout|co|develop)$/.test(String(action))) found.repository('write');
  let before: Word = '';
  for (const word of words.slice(2)) {
    const start = typeof word === 'string' ? word : word.parts[0];
    const isUnclear = typeof start !== 'string' && !(typeof before === 'string' && before.startsWith('-'));
    if (isUnclear) return found.doubt('a word that is not known beforehand may be one of its options');
    const [, attached] =
      /^(?:-F|--(?:body-file|notes-file|template|recover|input|body-text-file|env-file)=)(.+)$/s.exec(String(word)) ??
      [];
    if (typeof before === 'string' && HUB_FILES.test(before)) found.file(word, 'in');
    else if (attached !== undefined) found.file(attached, 'in');
    else if (
      typeof word === 'object' &&
      typeof start === 'string' &&
      /^-F|^--.*(?:file|template|input|recover)/.test(start)
    )
      found.doubt('which file it reads is not known beforehand');
    before = word;
  }
  const hasText = words.some(
    (word) =>
      typeof word === 'string' &&
      /^(?:-[a-zA-Z]*[bFfm].*|--(?:body|body-file|fill.*|notes|description|web).*)$/.test(word),
  );
  if (isTexts && action === 'create' && !hasText) found.doubt('it may start an editor');
}
