import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

const documents = ['', 'docs', 'docs/reference', 'docs/reference/api'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

test.each(documents)('%s: every link leads to a file, and to a heading in it', (document) => {
  const broken = linksIn(document).filter((link) => !resolves(document, link));
  expect(broken).toEqual([]);
});

test.each(documents)('%s: every column of a table has a name', (document) => {
  const heads = [...textOf(document).matchAll(/^ *(\|.*\|)\n *\|(?:[ :]*-+[ :]*\|)+$/gm)].map(([, head = '']) => head);
  const unnamed = heads.filter((head) =>
    head
      .split('|')
      .slice(1, -1)
      .some((cell) => cell.trim() === ''),
  );
  expect(unnamed).toEqual([]);
});

test('every page of docs/ is in its index, and the index in the README', () => {
  const linked = new Set(linksIn('docs/README.md').map((link) => join('docs', link)));
  const pages = documents.filter(
    (document) => /^docs\/(reference\/)?[^/]+$/.test(document) && document !== 'docs/README.md',
  );
  expect(pages.filter((page) => !linked.has(page))).toEqual([]);
  expect(linksIn('README.md')).toContain('docs/README.md');
});

/** Those that stay in this repository. */
function linksIn(document: string): string[] {
  const links = [...proseOf(document).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target ?? '');
  return links.filter((target) => !/^[a-z][a-z\d+.-]*:/i.test(target));
}

function resolves(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : relative(ROOT, join(ROOT, dirname(document), path));
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsIn(target).has(anchor);
}

/** As hosts of repositories make them: the words of a heading in lower case, with dashes for blanks. */
function anchorsIn(document: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of textOf(document).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Without what only looks like a link. */
function proseOf(document: string): string {
  return textOf(document).replaceAll(/`[^`\n]*`/g, '');
}

function textOf(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8').replaceAll(/^(`{3,}).*\n(?:.*\n)*?\1.*$/gm, '');
}
