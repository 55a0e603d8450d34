// The pages of docs/reference/api, made from what scripts/lib/public-api.mjs has read.

/** Longer declarations are left to the editor: the page names the file. */
const MAX_TYPE_LINES = 60;
const NOTE = '<!-- Written by scripts/api-docs.mjs from the comments in the sources; change those. -->';

/** File name to text. */
export function apiPages(api) {
  const pages = new Map();
  const homes = new Map();
  for (const entry of api) {
    const page = pageName(entry.specifier);
    for (const item of entry.items) if (!homes.has(item.source + item.of)) homes.set(item.source + item.of, page);
  }
  for (const entry of api) pages.set(pageName(entry.specifier), renderEntry(entry, homes));
  pages.set('README.md', renderIndex(api));
  return pages;
}

function pageName(specifier) {
  return `${specifier.replace(/^heddle\//, '').replaceAll('/', '-')}.md`;
}

function renderIndex(api) {
  const rows = api.map(({ specifier, about, items }) => {
    const values = items.filter(({ kind }) => kind !== 'type').map(({ name }) => `\`${name}\``);
    const shown = values.length > 12 ? [...values.slice(0, 12), '…'] : values;
    return `| [\`${specifier}\`](${pageName(specifier)}) | ${aboutOf(specifier, about)} | ${shown.join(', ')} |`;
  });
  return [
    '# API',
    NOTE,
    'What each import of the package exports. The other pages of these documents explain; this is for looking up.',
    ['| import | purpose | values |', '|---|---|---|', ...rows].join('\n'),
    '',
  ].join('\n\n');
}

function renderEntry({ specifier, about, items }, homes) {
  const page = pageName(specifier);
  const isElsewhere = (item) => homes.get(item.source + item.of) !== page;
  const elsewhere = items.filter(isElsewhere);
  const here = items.filter((item) => !isElsewhere(item));
  const [aliases, own] = split(here, (item) => item.name !== item.of && here.some(({ name }) => name === item.of));
  const of = (...kinds) => own.filter(({ kind }) => kinds.includes(kind));
  const parts = [
    `# ${specifier}`,
    NOTE,
    aboutOf(specifier, about),
    section('Functions', of('function'), renderFunction),
    section('Classes', of('class'), renderClass),
    table('Constants', of('constant')),
    section('Types', own.filter(hasDeclaration), renderType),
    table(
      'Types of lines',
      own.filter((item) => item.kind === 'type' && !hasDeclaration(item)),
    ),
    names('Other names', aliases, ({ of }) => `\`${of}\``),
    names('Also exported here', elsewhere, (item) => pageLink(item, homes)),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function aboutOf(specifier, about) {
  const text = about.replace(/^(The public face of )?`[^`]*`: /, '').replace(' Sorted by file.', '');
  const said = text || `The store of \`${specifier}\`.`;
  return said[0].toUpperCase() + said.slice(1);
}

function split(items, isFirst) {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function pageLink(item, homes) {
  const page = homes.get(item.source + item.of);
  return `[${page.replace(/\.md$/, '')}](${page})${item.name === item.of ? '' : ` as \`${item.of}\``}`;
}

/** What a schema infers says nothing: `schema/` and the editor show it better. */
function hasDeclaration({ kind, text }) {
  return kind === 'type' && !/z\.infer</.test(text) && !/^(const|[A-Za-z]+ = )/.test(text);
}

function section(title, items, render) {
  return items.length === 0 ? '' : [`## ${title}`, ...items.map(render)].join('\n\n');
}

function table(title, items) {
  if (items.length === 0) return '';
  const rows = items.map(({ name, doc }) => `| \`${name}\` | ${oneLine(doc)} |`);
  return `## ${title}\n\n| name | meaning |\n|---|---|\n${rows.join('\n')}`;
}

function names(title, items, target) {
  if (items.length === 0) return '';
  const rows = items.map((item) => `| \`${item.name}\` | ${target(item)} |`);
  return `## ${title}\n\n| name | see |\n|---|---|\n${rows.join('\n')}`;
}

function renderFunction({ name, doc, text, example }) {
  return block(`### ${name}`, doc, fence(text), example && `Example:\n\n${fence(example)}`);
}

function renderClass({ name, doc, text, members, example }) {
  const head = text.slice(0, text.indexOf('{')).trim();
  const rows = members.map((member) => `| \`${member.text.replaceAll('|', '\\|')}\` | ${oneLine(member.doc)} |`);
  const listed = rows.length > 0 ? ['| member | meaning |', '|---|---|', ...rows].join('\n') : '';
  return block(`### ${name}`, doc, fence(head), listed, example && `Example:\n\n${fence(example)}`);
}

function renderType({ name, doc, text, source, example }) {
  const isShort = text.split('\n').length <= MAX_TYPE_LINES;
  const shown = isShort ? fence(text) : `Declared in \`${source}\`.`;
  return block(`### ${name}`, doc, shown, example && `Example:\n\n${fence(example)}`);
}

function block(...parts) {
  return parts.filter(Boolean).join('\n\n');
}

function fence(code) {
  return `\`\`\`ts\n${code}\n\`\`\``;
}

function oneLine(text) {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
}
