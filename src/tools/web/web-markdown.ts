import { Worker } from 'node:worker_threads';
import { Aborted, abortReason } from '../../util/abort.ts';
import { resolveInstalled } from '../../util/own/own-files.ts';
import { startTimer } from '../../util/timer.ts';

const TIMEOUT_MS = 5_000;
const MAX_MEMORY_MB = 256;

/**
 * HTML as Markdown, without elements that have no content. Runs in its own thread, which can be ended: a page can be
 * written so that its tree takes minutes or gigabytes. Such a page, or a broken one, becomes its bare text. Rejects
 * with the abort reason.
 */
export async function htmlToMarkdown(html: string, signal: AbortSignal, timeoutMs = TIMEOUT_MS): Promise<string> {
  try {
    return await convertInThread(html, signal, timeoutMs);
  } catch {
    if (signal.aborted) throw abortReason(signal);
    return bareText(html);
  }
}

/** Plain JavaScript for Node: it is run neither from our sources nor from a bundle. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const TurndownService = require(workerData.turndown);
const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
const attribute = (node, name) => node.getAttribute(name) || '';
const cell = (content) => (content.trim().includes('\\n') ? '\\n\\n' + content + '\\n\\n' : ' ' + content.trim() + ' |');

service.remove(['script', 'style', 'nav', 'noscript', 'template', 'iframe', 'svg', 'button', 'input', 'select']);
service.addRule('cell', { filter: ['td', 'th'], replacement: cell });
service.addRule('row', { filter: 'tr', replacement: (content) => '\\n|' + content });
service.addRule('inline image', {
  filter: (node) => node.nodeName === 'IMG' && /^data:/i.test(attribute(node, 'src')),
  replacement: (_, node) => attribute(node, 'alt'),
});
service.addRule('script link', {
  filter: (node) => node.nodeName === 'A' && /^(javascript|data):/i.test(attribute(node, 'href')),
  replacement: (content) => content,
});
parentPort.postMessage(service.turndown(workerData.html));
`;

function convertInThread(html: string, signal: AbortSignal, timeoutMs: number): Promise<string> {
  const turndown = resolveInstalled('turndown');
  if (turndown === null) return Promise.reject(new Error('turndown is not installed'));
  const worker = new Worker(THREAD, {
    eval: true,
    workerData: { turndown, html },
    env: {},
    // Captured, so that output of the worker cannot appear between Heddle's own lines.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  return new Promise<string>((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      settle();
      worker.terminate().catch(() => {});
    };
    const onAbort = () => end(() => reject(abortReason(signal)));
    const timer = startTimer(timeoutMs, () => end(() => reject(new Aborted('timeout'))));
    worker.once('message', (markdown) => end(() => resolve(String(markdown))));
    worker.once('error', (error) => end(() => reject(error)));
    worker.once('exit', () => end(() => reject(new Error('The thread ended early.'))));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

const NO_CONTENT = /^(script|style|template|noscript|iframe|svg|nav)$/;

/** One pass over the text, whatever it holds: tags go, and so do elements without content. */
export function bareText(html: string): string {
  const lower = html.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()); // keeps every length
  const pieces: string[] = [];
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (open === -1) {
      pieces.push(html.slice(at));
      break;
    }
    pieces.push(html.slice(at, open), ' ');
    const close = html.indexOf('>', open);
    if (close === -1) break;
    const [name = ''] = /^[a-z]+/.exec(lower.slice(open + 1, open + 20)) ?? [];
    at = NO_CONTENT.test(name) ? lower.indexOf(`</${name}`, close) : close + 1;
    if (at === -1) break;
  }
  return pieces
    .join('')
    .replaceAll(/[ \t\r\f\n]+/g, (blanks) => (blanks.includes('\n') ? '\n' : ' '))
    .trim();
}
