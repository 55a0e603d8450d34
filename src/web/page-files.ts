import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOwnFile } from '../util/own/own-files.ts';
import { HeddleError } from '../wire/errors.ts';

/** The parts of the page, as the build has made them. */
export interface PageFiles {
  html: string;
  script: string;
  style: string;
  /** The licences of the packages inside. */
  notices: string;
}

/** Throws `installation_changed` when they are missing. */
export function readPageFiles(): PageFiles {
  const read = (name: string) => {
    const path = findOwnFile(join('web', name));
    if (path === null) throw missing(name);
    return readFileSync(path, 'utf8');
  };
  return { html: read('page.html'), script: read('page.js'), style: read('page.css'), notices: read('notices.txt') };
}

function missing(name: string): HeddleError {
  const message = `web/${name} is missing beside the program: install Heddle again, or build it with npm run build`;
  return new HeddleError('installation_changed', message, { facts: { file: name } });
}
