import type { Import, SourceFile } from '../../support/source-tree.ts';
import type { Finding } from './exceptions.ts';

/** One room, or files of a folder that stand in one place. */
type Row = string | readonly string[];

/**
 * The rooms of the folders that have rooms, left to right: a room imports itself and the rooms before it, types
 * included. `.` are the files that lie in the folder itself; those that put its rooms together have a row of their own
 * at the right. The longest name that fits a file counts. The picture is in ARCHITECTURE.md.
 */
export const ROOMS: Record<string, readonly Row[]> = {
  util: ['.', 'text', 'files', 'process', 'own', ['checks.ts', 'host-name.ts']],
  wire: [
    '.',
    'link',
    'api',
    'messages',
    'entries.ts',
    'hooks',
    'control',
    'tools',
    ['run-config.ts', 'flags.ts'],
    'index.ts',
  ],
  model: ['.', 'recording', 'http', 'anthropic', 'openai', 'responses', 'aws', 'google', 'offline'],
  tools: [
    '.',
    'workspace',
    'files',
    'search',
    'web',
    'sandbox',
    'path-guard',
    'background',
    'shell',
    'task-list',
    'agents',
    'user',
    'mcp',
    'custom',
    'builtin-tools.ts',
  ],
  permissions: [
    ['modes.ts', 'real-path.ts', 'paths.ts', 'rules.ts'],
    'shell',
    ['glob-names.ts', 'path-rules.ts', 'policy.ts'],
    'grammars',
    'commands',
    '.',
  ],
  mcp: ['.', 'config', 'remote', 'oauth', ['connection.ts', 'connections.ts', 'connection-status.ts', 'as-tool.ts']],
  sessions: ['.', 'tree', 'files', 'replay', 'stored', 'stores', 'running', 'views', 'indexed'],
  plugins: [['plugin-error.ts', 'plugin-home.ts', 'marketplace-source.ts', 'catalog.ts'], 'sources', '.'],
  config: ['settings', '.', 'extensions', 'memory', ['trust-store.ts', 'trusted-by-launch.ts']],
  agent: [
    '.',
    'messages',
    'compaction',
    'calls',
    'team',
    ['step.ts', 'stop.ts', 'cut-answer.ts', 'loop.ts', 'result.ts'],
  ],
  host: [
    'engine',
    'launch',
    'models',
    'permissions',
    'extensions',
    'link',
    'resume',
    'checkpoints',
    'worktrees',
    'telemetry',
    'background',
    'mcp',
    'hooks',
    'conversation',
    'thread',
    'commands',
    'agents',
    'session',
    'control',
    'serve',
    'hosts',
    ['create-engine.ts', 'index.ts'],
  ],
  admin: ['.', 'running', 'html', 'doctor', 'stats'],
  server: [
    'ports',
    'policy',
    'embedded',
    'run',
    'http',
    'routes',
    'stream',
    'metrics',
    'home',
    ['create-server.ts', 'index.ts'],
  ],
  sdk: [
    ['report-to-host.ts', 'user-message.ts'],
    'options',
    'tools',
    'subprocess',
    'remote',
    'stored',
    '.',
    'index.ts',
  ],
  tui: [
    'rows',
    'rows/code',
    ['rows/markdown', 'rows/blocks'],
    'rows/live',
    'screen',
    'input',
    'editor',
    'vim',
    'focus',
    ['drafts', 'menu', 'clipboard'],
    'term',
    'stage',
    'pager',
    'tasks',
    'look',
    'typing',
    'questions',
    'pickers',
    'tree',
    'commands',
    'app',
    'plain',
    '.',
  ],
  web: ['tree', 'page', '.'],
  cli: [
    'terminal',
    'flags',
    'run',
    'commands/server',
    'commands',
    [
      'commands/auth',
      'commands/completion',
      'commands/mcp',
      'commands/plugin',
      'commands/server',
      'commands/sessions',
      'commands/stats',
      'commands/tasks',
    ],
    ['commands/all-help.ts', 'commands/mistakes.ts', 'commands/commands.ts'],
    ['main.ts', 'interactive.ts', 'end-with.ts', 'start.ts', 'code-cache.ts', 'print-version.ts'],
  ],
};

/** Where a file of src stands in ROOMS; null where its folder has no rooms, or none that the file is in. */
export function roomOf(path: string): { folder: string; room: string; place: number } | null {
  const [, folder = '', ...rest] = path.split('/');
  const inFolder = rest.join('/');
  const rows = (ROOMS[folder] ?? []).flatMap((row, place) => [row].flat().map((room) => ({ folder, room, place })));
  const fits = (room: string) =>
    room === inFolder || inFolder.startsWith(`${room}/`) || (room === '.' && rest.length === 1);
  return rows.filter(({ room }) => fits(room)).sort((a, b) => b.room.length - a.room.length)[0] ?? null;
}

/** Says so where an import goes to a room further right. */
export function againstTheArrow(file: SourceFile, { target, line }: Import): Finding | null {
  const from = roomOf(file.path);
  const to = target ? roomOf(target) : null;
  if (!from || !to || from.folder !== to.folder || to.place <= from.place) return null;
  return {
    key: `${file.path} -> ${target}`,
    text: `${file.path}:${line} imports ${target}: room ${from.room} is left of room ${to.room}; move what is needed to the left, or hand it in`,
  };
}
