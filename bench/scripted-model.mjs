// The model of a benchmark: a process of its own, so that its work is nobody's CPU time.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

export async function startModel() {
  const child = spawn(process.execPath, [path.join(here, 'model-server.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await new Promise((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(Number(/listening (\d+)/.exec(String(data))[1])));
    child.once('exit', (code) => reject(new Error(`the model server ended with ${code}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    port,
    reset: () => fetch(`${url}/reset`),
    stats: async () => (await fetch(`${url}/stats`)).json(),
    stop: () => child.stdin.end(),
  };
}
