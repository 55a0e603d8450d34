import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.ts';

export interface PackageJson {
  version: string;
  license: string;
  engines: { node: string };
  main: string;
  types: string;
  sideEffects: string[];
  bin: Record<string, string>;
  exports: Record<string, string | { types: string; default: string }>;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

export function readPackageJson(): PackageJson {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as PackageJson;
}
