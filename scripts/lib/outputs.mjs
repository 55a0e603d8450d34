// Which file of dist/bundles holds which module. A module of ours is in one of them only, so that a class is one class
// wherever it is used. Packages are small: each file that needs one has its own copy.

/**
 * The files of dist/bundles. src/cli/start.ts runs `print`; a module behind a door (src/doors.ts) is in one of the others,
 * which is read when the first of its doors opens. A door belongs to the first row that names it, and a module that
 * several rows need to the first of these. A new face of the command line gets a row of its own.
 */
const OUTPUTS = [
  // What a first prompt needs, and nothing else: all of it runs at every start.
  { name: 'print', entry: 'src/cli/main.ts' },
  // What a command of Bash needs.
  { name: 'shell', doors: /^src\/(util\/process|permissions)\// },
  // Models of others than Anthropic's own API: nothing else of the engine is read with them.
  { name: 'models', doors: /^src\/(model\/|host\/engine\/elsewhere|host\/models\/model-catalog)/ },
  // What many runs need: changed files, settings, histories, lines of programs.
  {
    name: 'common',
    doors: /^src\/host\/(checkpoints|engine|launch|link|models|resume|serve)|^src\/cli\/run\/terminal-session/,
  },
  // The terminal; what answers need is read with the first one. It paints before `print` is read, so it has copies of the
  // few modules of that output that it imports: those hold no state, and nobody asks for their classes.
  { name: 'tui', doors: /^src\/cli\/interactive/, copies: true },
  { name: 'answers', doors: /^src\/tui\/rows\// },
  // What helps to write a prompt, and how the terminal looks: read behind the first frame.
  { name: 'typing', doors: /^src\/tui\/typing\// },
  { name: 'questions', doors: /^src\/tui\/questions\// },
  // What the terminal needs when somebody asks for it: commands, lists, the tree, the pager.
  { name: 'panels', doors: /^src\/tui\// },
  // What programs, editors and terminals ask a session, and print mode does not.
  { name: 'hosts', doors: /^src\/host\/control\// },
  // What editors start; their sessions come with the first request for one.
  { name: 'acp', doors: /^src\/cli\/commands\/acp/ },
  { name: 'editors', doors: /^src\/acp\// },
  // Reads all of the program, so that an upgrade cannot take from a session what it has not read yet.
  { name: 'whole', doors: /^src\/cli\/run\/background/, readsAll: true },
  // What few runs need: MCP, hooks, agents, the sandbox.
  { name: 'rare', doors: /^src\/(?!cli\/commands\/|server\/|sdk\/remote)/ },
  // Subcommands, help, advice after mistakes.
  { name: 'commands', doors: /^src\/cli\/commands\/(?!serve|web|attach)/ },
  // Sessions over HTTP. The last row: what others need of it is in theirs, and they do not read all of a server.
  { name: 'server', doors: /^src\/(cli\/commands\/(serve|web|attach)|server\/|sdk\/remote)/ },
];

/** What every start runs. */
export const PRINT = OUTPUTS[0];

/** How a bundle names a module behind a door that is in another one; src/cli/start.ts reads it. */
export const doorName = (output, file) => `./bundles/${output}.cjs#${file}`;

/**
 * `graph`: all modules, with what each imports, as the bundler tells it. Returns `ownerOf`, the name of the output that
 * holds a module, and the outputs: their name and entry, their doors, the modules of others that they have copies of, which
 * outputs they read at once, and which of their modules others need. Another output is read when one of its modules is needed, not before.
 */
export function planOutputs(graph) {
  const imports = (file, isLate) =>
    (graph[file]?.imports ?? [])
      .filter(({ kind, path, external }) => (kind === 'dynamic-import') === isLate && !external && isOurs(path))
      .map(({ path }) => path);
  const files = Object.keys(graph).filter(isOurs);
  const doors = new Set(files.flatMap((file) => imports(file, true)));
  const owners = new Map();
  const rows = OUTPUTS.map((row) => {
    const own = row.entry ? [row.entry] : [...doors].filter((door) => row.doors.test(door) && !owners.has(door));
    const reached = reach(own, (each) => imports(each, false));
    const copies = new Set();
    for (const file of reached) {
      if (!owners.has(file)) owners.set(file, row.name);
      else if (row.copies) copies.add(file);
    }
    return { name: row.name, entry: row.entry, copies, reads: row.readsAll ? OUTPUTS.map(({ name }) => name) : [] };
  });
  const copiesOf = new Map(rows.map(({ name, copies }) => [name, copies]));
  const foreign = files.flatMap((from) =>
    imports(from, false).filter(
      (to) => owners.get(to) !== owners.get(from) && !copiesOf.get(owners.get(from))?.has(to),
    ),
  );
  const outputs = rows.map((row) => ({
    ...row,
    doors: [...doors].filter((door) => owners.get(door) === row.name),
    gives: unique(foreign.filter((to) => owners.get(to) === row.name)),
  }));
  return { ownerOf: (file) => owners.get(file), outputs };
}

/** The text of an output's first module, for the bundler. `exportsOf`: the names that a module exports. */
export function entryText({ name, entry, doors, reads, gives }, exportsOf) {
  const names = gives.map((file, at) => exportsOf(file).map((name) => ({ name, local: `given${at}_${name}` })));
  const plain = (file, at) =>
    `import{${names[at].map(({ name, local }) => `${name} as ${local}`)}}from${JSON.stringify(`./${file}`)};`;
  const object = (_file, at) => `({${names[at].map((each) => `${each.name}:${each.local}`)}})`;
  // What every start runs is run already when somebody asks for it; the modules of the other outputs run when needed.
  const given = entry ? object : (file) => `require(${JSON.stringify(`./${file}`)})`;
  const lines = [
    ...(entry ? [`export{main}from${JSON.stringify(`./${entry}`)};`, ...gives.map(plain)] : []),
    `export const reads=${JSON.stringify(reads)};`,
    `export const doors={${doors.map((door) => `${JSON.stringify(door)}:()=>import(${JSON.stringify(`./${door}`)})`)}};`,
    `export const gives=()=>({${gives.map((file, at) => `${givenName(name, file)}:()=>${given(file, at)}`)}});`,
  ];
  return lines.join('\n');
}

/** The text that stands for a module of another output. */
export const givenText = (owner, file, names) => `export const{${names}}=__given(${givenName(owner, file)});`;

const givenName = (owner, file) => JSON.stringify(`${owner}#${file}`);

function reach(roots, next) {
  const seen = new Set();
  const queue = [...roots];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    queue.push(...next(file));
  }
  return seen;
}

const isOurs = (file) => file.startsWith('src/');
const unique = (values) => [...new Set(values)];
