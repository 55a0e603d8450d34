// The licence texts of the packages whose code ends up in our bundles; their licences ask us to pass them on.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './tree.mjs';

/** One text for all packages that the bundler's inputs come from. */
export function collectLicenses(inputs) {
  return `${packagesOf(inputs).map(licenseOf).join('\n\n')}\n`;
}

/** The packages that the bundler's inputs come from, sorted. */
export function packagesOf(inputs) {
  return [...new Set(inputs.map(packageOf).filter(Boolean))].sort();
}

function packageOf(input) {
  return /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
}

function licenseOf(name) {
  const folder = path.join(root, 'node_modules', name);
  const { version, license } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = fs.readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? fs.readFileSync(path.join(folder, file), 'utf8').trim() : '';
  return `${name} ${version} (${license})\n\n${text}`.trimEnd();
}
