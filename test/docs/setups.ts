import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bedrockDialect, openFakeCloud, vertexDialect } from '../support/fake-clouds.ts';
import { startOAuthServers } from '../support/oauth-servers.ts';
import { ROOT } from '../support/root.ts';
import { putBranchedSession } from './branched-session.ts';
import { type Project, runInProject } from './project.ts';

/** What stands in for a name that pages make up: a task's id, a server's address. */
export interface SetUp {
  replace: Readonly<Record<string, string>>;
}

/** Makes what a block finds when it runs: `<!-- run: setup=detached-task -->`. Throws for a name that is not here. */
export async function setUp(name: string | undefined, project: Project): Promise<SetUp> {
  if (name === undefined) return { replace: {} };
  const make = Object.hasOwn(SETUPS, name) ? SETUPS[name] : undefined;
  if (!make) throw new Error(`There is no setup ${name}; there are ${Object.keys(SETUPS).join(', ')}.`);
  return { replace: (await make(project)) ?? {} };
}

type Make = (project: Project) => SetUp['replace'] | undefined | Promise<SetUp['replace'] | undefined>;

const SETUPS: Readonly<Record<string, Make>> = {
  /** The page is read in a clone of this repository. */
  clone({ cwd }) {
    for (const name of ['dist', 'examples', 'node_modules']) symlinkSync(join(ROOT, name), join(cwd, name), 'dir');
    return undefined;
  },

  /** A command that has outlived its session. */
  async 'detached-task'(project) {
    await running(project, DETACH);
    project.command('newest-task', `heddle tasks list --json | ${printJson('tasks[0].task_id', 'tasks')}`);
    return { b1f3a2: '$(newest-task)' };
  },

  /** A task whose id is known only once the block has started it. */
  'later-task'(project) {
    project.command('newest-task', `heddle tasks list --json | ${printJson('tasks[0].task_id', 'tasks')}`);
    return { b1f3a2: '$(newest-task)' };
  },

  /** A session with a call of Bash, for what takes one: its id is SESSION. */
  async session(project) {
    await running(project, ['-p', 'run: echo warp', '--model', 'offline', '--allowedTools', 'Bash']);
    project.command('newest-session', `heddle sessions list --json | ${printJson('all[0].sessionId', 'all')}`);
    return { SESSION: '$(newest-session)' };
  },

  /** Servers of models that are not here: their commands do nothing, the fake API answers for all of them. */
  'model-servers'({ command, openai }) {
    for (const name of ['ollama', 'llama-server', 'vllm']) command(name, 'exit 0');
    const addresses = ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:8080/v1', 'http://127.0.0.1:8000/v1'];
    const remote = ['https://openrouter.ai/api/v1', 'https://api.moonshot.ai/v1'];
    return Object.fromEntries([...addresses, ...remote].map((address) => [address, openai.url]));
  },

  /** Clouds and servers that are not here: fakes answer for them, and their commands print tokens. */
  async providers({ command, openai, env, ends }) {
    const api = env.ANTHROPIC_BASE_URL ?? '';
    for (const name of ['ollama', 'llama-server']) command(name, 'exit 0');
    command('gcloud', 'echo ya29.of-the-docs');
    command('az', `echo '{"accessToken":"token-of-the-docs"}'`);
    const [bedrock, vertex] = await Promise.all([
      openFakeCloud(api, bedrockDialect()),
      openFakeCloud(
        api,
        vertexDialect((token) => token === 'ya29.of-the-docs'),
      ),
    ]);
    for (const cloud of [bedrock, vertex]) ends.push(() => void cloud.close());
    const servers = ['GEMINI', 'OPENROUTER', 'OLLAMA', 'LMSTUDIO', 'LLAMACPP', 'AZURE_OPENAI'];
    const variables = [
      ...servers.map((name) => `${name}_BASE_URL=${openai.url}`),
      `ANTHROPIC_BEDROCK_BASE_URL=${bedrock.url}`,
      `ANTHROPIC_VERTEX_BASE_URL=${vertex.url}/v1`,
      `ANTHROPIC_FOUNDRY_BASE_URL=${api}`,
    ];
    const ofMessages = [':11434', ':1234', ':8080'].map((port) => `ANTHROPIC_BASE_URL=http://127.0.0.1${port}`);
    const messages = [...ofMessages, 'ANTHROPIC_BASE_URL=https://openrouter.ai/api'];
    return {
      ...Object.fromEntries(messages.map((address) => [address, `ANTHROPIC_BASE_URL=${api}`])),
      'heddle -p': `${variables.join(' ')} heddle -p`,
    };
  },

  /** MCP servers: one of the project's own, and the official ones, as npx would fetch them. */
  'mcp-servers'({ cwd, env }) {
    copyFileSync(join(ROOT, 'test/support/loom-mcp-server.mjs'), join(cwd, 'server.mjs'));
    symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'), 'dir');
    env.API_KEY = 'key-of-the-docs';
    return undefined;
  },

  /** A project with two programs, the packages that it has installed, and a bundler among them. */
  bundler({ cwd }) {
    const installed = join(cwd, 'node_modules');
    mkdirSync(installed, { recursive: true });
    for (const name of ['.bin', 'esbuild', '@esbuild', '@vscode', 'turndown', '@mixmark-io']) {
      if (!existsSync(join(installed, name)))
        symlinkSync(join(ROOT, 'node_modules', name), join(installed, name), 'dir');
    }
    if (!existsSync(join(installed, 'heddle'))) symlinkSync(ROOT, join(installed, 'heddle'), 'dir');
    put(join(cwd, 'src/app.ts'), SMALL_PROGRAM);
    put(join(cwd, 'src/agent.ts'), SMALL_ENGINE);
    return undefined;
  },

  'branched-session'(project) {
    putBranchedSession(project);
    return undefined;
  },

  /** What would register a provider of OpenTelemetry. */
  'otel-file'({ cwd }) {
    put(join(cwd, 'my-otel.mjs'), '');
    return undefined;
  },

  /** A branch with one commit that the main branch does not have. */
  'branch-to-review'({ cwd, env }) {
    for (const words of ['update-ref refs/remotes/origin/main HEAD', 'commit -qam change']) {
      spawnSync('git', words.split(' '), { cwd, env });
    }
    return undefined;
  },

  /** Its containers run the image `heddle`, here and without the flags of docker. */
  docker({ command }) {
    command('docker', 'while [ "$1" != heddle ]; do shift; done; exec "$@"');
    return undefined;
  },

  'kit-plugin'({ cwd }) {
    put(join(cwd, 'kit/commands/hello.md'), 'run: echo hello\n');
    return undefined;
  },

  /** A marketplace in a folder, with one plugin. */
  'plugin-shop'({ cwd }) {
    const plugins = [{ name: 'kit', source: './kit' }];
    put(join(cwd, 'shop/.claude-plugin/marketplace.json'), JSON.stringify({ name: 'shop', plugins }));
    put(join(cwd, 'shop/kit/commands/hello.md'), 'run: echo hello\n');
    return undefined;
  },

  /** The user's settings deny what the page tries. */
  'push-denied'({ home }) {
    put(join(home, '.heddle/settings.json'), '{ "permissions": { "deny": ["Bash(git push:*)"] } }');
    return undefined;
  },

  /** Values in the user's settings that cannot be used. */
  'faulty-settings'({ home }) {
    put(join(home, '.heddle/settings.json'), '{ "model": 7, "permissions": { "allow": ["Edit:*", "Read"] } }');
    return undefined;
  },

  /** The reference was used here before; a person at a terminal has a key. */
  'reference-home'({ home }) {
    mkdirSync(join(home, '.claude'), { recursive: true, mode: 0o700 });
    return { 'heddle auth login  ': 'echo sk-of-the-person-0123 | heddle auth login  ' };
  },

  /** Settings that would allow something, of a project that nobody trusts. */
  'untrusted-project'({ home, cwd }) {
    mkdirSync(join(home, '.heddle'), { mode: 0o700 });
    put(join(cwd, '.claude/settings.json'), '{ "permissions": { "allow": ["Bash(npm test:*)"] } }');
    return undefined;
  },

  /** Settings of the user and of a project that nobody trusts. */
  'config-of-two'({ home, cwd }) {
    rmSync(join(home, '.heddle'), { recursive: true, force: true });
    put(join(home, '.heddle/settings.json'), '{ "model": "opus", "permissions": { "deny": ["WebFetch"] } }');
    const settings = { env: { CI: '1' }, permissions: { deny: ['Read(.env)'], allow: ['Bash(npm test:*)'] } };
    put(join(cwd, '.claude/settings.json'), JSON.stringify(settings));
    return undefined;
  },

  /** Another project beside this one, and a person at a terminal who agrees. */
  'two-projects'({ root, cwd }) {
    for (const folder of [cwd, join(root, 'app')]) {
      put(join(folder, '.claude/settings.json'), '{ "permissions": { "allow": ["Bash(npm test:*)"] } }');
    }
    return { 'heddle trust    ': "echo y | script -qec 'heddle trust' /dev/null    " };
  },

  /** A server that wants a sign-in, and a person at a terminal whose browser agrees to everything. */
  async 'sign-in'({ command, ends }) {
    const { url } = await startOAuthServers({ whenOver: (end) => ends.push(end) });
    command('xdg-open', `exec '${process.execPath}' -e 'fetch(process.argv[1])' "$1"`);
    const login = 'heddle mcp login tracker';
    return { 'https://mcp.example.com/mcp': url, [login]: `script -qec '${login}' /dev/null` };
  },
};

const SMALL_PROGRAM = `import { prompt } from 'heddle';
const { result } = await prompt('list files matching *.md', { model: 'offline' });
if (!result.includes('README.md')) throw new Error(result);
`;

const SMALL_ENGINE = `import { createSession } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
async function main() {
  const engine = createEngine({ cwd: process.cwd(), env: process.env });
  const session = createSession({ model: 'offline', transport: inProcess(engine) });
  const { text } = await session.ask('list files matching *.md');
  if (!text.includes('README.md')) throw new Error(text);
  await session.close();
  await engine.close();
}
main();
`;

/** What a person would have written before. */
function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const DETACH = [
  '-p',
  'start the dev server, detached',
  '--allow-detach',
  '--allowedTools',
  'Bash(npm run dev)',
] as const;

async function running(project: Project, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runInProject(project, ['heddle', ...args]);
  if (code !== 0) throw new Error(`The setup failed: ${stderr}`);
}

/** A shell command that prints a part of the JSON on its stdin. */
function printJson(part: string, name: string): string {
  return `'${process.execPath}' -p 'const ${name} = JSON.parse(require("node:fs").readFileSync(0, "utf8")); ${part}'`;
}
