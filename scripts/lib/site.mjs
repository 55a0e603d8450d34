// The pages of the repository as a static site: copied to a folder in the same order, and built by VitePress there.
import fs from 'node:fs';
import path from 'node:path';
import { INSTALL_FLAGS } from './reference.mjs';
import { runCommand } from './run-command.mjs';
import { root } from './tree.mjs';

const VITEPRESS = '1.6.4';
const INSTALL_MS = 240_000;
const BUILD_MS = 240_000;

/** Folders whose pages and pictures belong to the site, and pages of the root. */
const FOLDERS = ['docs'];
const ROOT_PAGES = /^(README|ARCHITECTURE|CHANGELOG|CONTRIBUTING|GLOSSARY|PROVENANCE|REVIEW|SECURITY)\.md$/;

/**
 * `base`: the folder of the server that will show the site. Resolves with how many pages there are, or with `skipped` (why VitePress could not be installed), or with `problem`
 * (what VitePress said, dead links included).
 */
export async function buildSite({ installed, temporary, out, base }) {
  const skipped = await install(installed);
  if (skipped) return { skipped };
  const source = path.join(temporary, 'pages');
  const pages = copyPages(source);
  fs.mkdirSync(path.join(source, '.vitepress'), { recursive: true });
  fs.writeFileSync(path.join(source, '.vitepress/config.mjs'), configText({ out, base, pages }));
  // VitePress resolves its packages from the pages.
  fs.symlinkSync(path.join(installed, 'node_modules'), path.join(source, 'node_modules'), 'dir');
  const program = path.join(installed, 'node_modules/vitepress/bin/vitepress.js');
  const env = { PATH: process.env.PATH, HOME: temporary, CI: '1', NO_COLOR: '1', DO_NOT_TRACK: '1' };
  const args = [program, 'build', source];
  const { code, output } = await runCommand(process.execPath, args, { cwd: source, limitMs: BUILD_MS, env });
  return code === 0 ? { pages: pages.length } : { problem: output.trim() };
}

async function install(folder) {
  const manifest = path.join(folder, 'node_modules/vitepress/package.json');
  if (fs.existsSync(manifest) && JSON.parse(fs.readFileSync(manifest, 'utf8')).version === VITEPRESS) return null;
  fs.mkdirSync(folder, { recursive: true });
  const dependencies = { vitepress: VITEPRESS };
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  // Its bundler is an optional package of the platform, which the usual flags leave out.
  const flags = INSTALL_FLAGS.filter((flag) => flag !== '--omit=optional');
  const { code, output } = await runCommand('npm', ['install', ...flags], { cwd: folder, limitMs: INSTALL_MS });
  return code === 0 ? null : output.trim() || `npm was not done after ${INSTALL_MS / 1000} s`;
}

/** Copies pages and pictures; returns the pages, by their paths in the repository. */
function copyPages(source) {
  const files = [
    ...fs.readdirSync(root).filter((name) => ROOT_PAGES.test(name)),
    ...FOLDERS.flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name))),
    ),
  ];
  for (const file of files) {
    const to = path.join(source, file);
    fs.mkdirSync(path.dirname(to), { recursive: true });
    if (file.endsWith('.md')) fs.writeFileSync(to, pageText(fs.readFileSync(path.join(root, file), 'utf8'), file));
    else fs.copyFileSync(path.join(root, file), to);
  }
  return files.filter((file) => file.endsWith('.md'));
}

/**
 * Without the comments that tell tests how to run a block: readers have no use for them. Links to folders and files that
 * are no pages become text.
 */
function pageText(text, file) {
  const inFences = /^(```|~~~)[\s\S]*?^\1/gm;
  const outside = (change) => {
    let end = 0;
    let changed = '';
    for (const fence of text.matchAll(inFences)) {
      changed += change(text.slice(end, fence.index)) + fence[0];
      end = fence.index + fence[0].length;
    }
    return changed + change(text.slice(end));
  };
  return outside((part) =>
    part
      .replace(/<!--[\s\S]*?-->\n?/g, '')
      .replace(/(?<!!)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)/g, (link, words, target) => {
        const to = path.posix.join(path.posix.dirname(file), target.split('#')[0]);
        const isPage =
          to.endsWith('.md') && (ROOT_PAGES.test(to) || FOLDERS.some((folder) => to.startsWith(`${folder}/`)));
        return isPage || fs.existsSync(path.join(root, to)) === false ? link : words;
      }),
  );
}

function configText({ out, base, pages }) {
  const config = {
    title: 'Heddle',
    description: 'An open agent runtime, SDK and command line',
    lang: 'en',
    outDir: out,
    cleanUrls: false,
    lastUpdated: false,
    base,
    rewrites: Object.fromEntries(
      pages
        .filter((page) => /(^|\/)README\.md$/.test(page))
        .map((page) => [page, page.replace(/README\.md$/, 'index.md')]),
    ),
    markdown: { html: false },
    themeConfig: {
      search: { provider: 'local' },
      nav: NAV,
      sidebar: sidebar(),
      outline: [2, 3],
      docFooter: { prev: false, next: false },
    },
  };
  return `export default ${JSON.stringify(config, null, 2)};\n`;
}

const NAV = [
  { text: 'First hour', link: '/docs/getting-started' },
  { text: 'Pages', link: '/docs/' },
  { text: 'Look it up', link: '/docs/reference/cli' },
  { text: 'Changes', link: '/CHANGELOG' },
];

/** The headings and tables of docs/README.md are the contents of the site: one list, kept in one place. */
function sidebar() {
  const groups = [];
  for (const line of fs.readFileSync(path.join(root, 'docs/README.md'), 'utf8').split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading) groups.push({ text: heading, collapsed: groups.length > 2, items: [] });
    const [cell] = line.startsWith('|') ? line.split('|').slice(1) : [];
    for (const [, text, target] of (cell ?? '').matchAll(/\[([^\]]+)\]\(([^)#\s]+\.md)\)/g)) {
      const link = path.posix.join('/docs', target).replace(/(README)?\.md$/, '');
      const items = groups.at(-1)?.items ?? [];
      if (!items.some((item) => item.link === link)) items.push({ text, link });
    }
  }
  return groups.filter(({ items }) => items.length > 0);
}
