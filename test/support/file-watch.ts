import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';

/** What a reader has seen that looks at the JSON files of a folder every two milliseconds. */
export interface Looks {
  looks: number;
  /** The files in which it saw no whole JSON, with what was there. */
  torn: string[];
}

/** Starts to look, in a thread of its own so that nothing holds it up. Resolves with what was seen when it is stopped. */
export function watchJsonFiles(folder: string): { stop(): Promise<Looks> } {
  const worker = new Worker(WATCHER, { eval: true, workerData: { folder } });
  onTestFinished(async () => void (await worker.terminate()));
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve).once('error', reject);
        worker.postMessage('stop');
      }),
  };
}

const WATCHER = `
  const { readdirSync, readFileSync } = require('node:fs');
  const { join } = require('node:path');
  const { parentPort, workerData: { folder } } = require('node:worker_threads');
  const seen = { looks: 0, torn: [] };
  const look = () => {
    let names = [];
    try { names = readdirSync(folder).filter((name) => name.endsWith('.json')); } catch {}
    for (const name of names) {
      let text;
      try { text = readFileSync(join(folder, name), 'utf8'); } catch { continue; }
      seen.looks++;
      try { JSON.parse(text); } catch { seen.torn.push(name + ': ' + text.slice(-200)); }
    }
  };
  const timer = setInterval(look, 2);
  parentPort.once('message', () => { clearInterval(timer); look(); parentPort.postMessage(seen); parentPort.close(); });
`;
