import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from './cli.ts';
import { makePlace, type Place } from './place.ts';
import { put } from './put.ts';

export const mcp = (place: Place, ...args: string[]) => runCli(['mcp', ...args], { place });
export const userFile = (place: Place) => join(place.home, '.claude.json');
export const projectFile = (place: Place) => join(place.cwd, '.mcp.json');
export const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
export const json = async (place: Place, ...args: string[]) => JSON.parse((await mcp(place, ...args, '--json')).stdout);

/** A server with two tools, one of which tells its environment. */
const SERVER = `
  import { createInterface } from 'node:readline';
  console.error('the server says hello');
  const tools = [
    { name: 'first', description: 'Does the first thing\\nand more', inputSchema: { type: 'object' } },
    { name: 'second', inputSchema: { type: 'object' } },
  ];
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const serverInfo = { name: 'fixture', version: process.env.VERSION_OF_IT ?? '0' };
    const result = method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }
      : { tools };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
`;

export async function makeServer(): Promise<Place> {
  const place = await makePlace();
  put(join(place.cwd, 'server.mjs'), SERVER);
  return place;
}
