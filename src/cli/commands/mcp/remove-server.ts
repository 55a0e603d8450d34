import { removeServer, writtenServers } from '../../../admin/server-files.ts';
import { printable } from '../../../util/text/printable.ts';
import { HeddleError } from '../../../wire/errors.ts';
import { usage } from '../../flags/args.ts';
import { takeWords } from '../../flags/command-args.ts';
import { printLines } from '../../terminal/terminal.ts';
import { commandLocation } from '../command-location.ts';
import { type McpAction, scopeOf } from './mcp-action.ts';

const HELP = `Usage: heddle mcp remove [-s local|project|user] NAME

Takes a server out of the file that it stands in. The scope must be named where several have one of
that name. A sign-in stays: heddle mcp logout NAME, before, forgets it.

  -s, --scope SCOPE   local, project or user

Examples:
  heddle mcp remove files
  heddle mcp remove -s user tracker
`;

export const remove: McpAction = {
  help: HELP,
  flags: { '--scope': 'text' },
  short: { '-s': '--scope' },
  async act(args) {
    const [name = ''] = takeWords(args.words, ['NAME']);
    const scope = scopeOf(args);
    const location = commandLocation();
    const [found, another] = writtenServers(location).filter(
      (server) => server.name === name && (scope === null || server.scope === scope),
    );
    if (!found) {
      const where = scope === null ? 'any file of local, project or user scope' : `the scope ${scope}`;
      const message = `There is no MCP server ${printable(name)} in ${where}. heddle mcp list shows those there are`;
      throw new HeddleError('server_not_found', message, { facts: { name } });
    }
    if (another) throw usage(`${name} is in the scopes ${found.scope} and ${another.scope}: say which with --scope`);
    await removeServer(found, location);
    printLines([`${printable(name)} was removed from ${printable(found.file)} (scope ${found.scope})`]);
    return 0;
  },
};
