import bash from '@speed-highlight/core/languages/bash.js';
import c from '@speed-highlight/core/languages/c.js';
import css from '@speed-highlight/core/languages/css.js';
import diff from '@speed-highlight/core/languages/diff.js';
import docker from '@speed-highlight/core/languages/docker.js';
import go from '@speed-highlight/core/languages/go.js';
import html from '@speed-highlight/core/languages/html.js';
import ini from '@speed-highlight/core/languages/ini.js';
import java from '@speed-highlight/core/languages/java.js';
import js from '@speed-highlight/core/languages/js.js';
import jsdoc from '@speed-highlight/core/languages/jsdoc.js';
import json from '@speed-highlight/core/languages/json.js';
import lua from '@speed-highlight/core/languages/lua.js';
import make from '@speed-highlight/core/languages/make.js';
import pl from '@speed-highlight/core/languages/pl.js';
import py from '@speed-highlight/core/languages/py.js';
import regex from '@speed-highlight/core/languages/regex.js';
import rs from '@speed-highlight/core/languages/rs.js';
import sql from '@speed-highlight/core/languages/sql.js';
import todo from '@speed-highlight/core/languages/todo.js';
import toml from '@speed-highlight/core/languages/toml.js';
import ts from '@speed-highlight/core/languages/ts.js';
import uri from '@speed-highlight/core/languages/uri.js';
import xml from '@speed-highlight/core/languages/xml.js';
import yaml from '@speed-highlight/core/languages/yaml.js';
import { type ShjToken, tokenizeWith } from '@speed-highlight/core/tokenize';
import type { Span, Style } from '../row.ts';
import type { CodeColours, LineColours } from './code-colours.ts';

const languages = {
  ...{ bash, c, css, diff, docker, go, html, ini, java, js, jsdoc, json, lua, make, pl, py, regex, rs, sql, todo },
  ...{ toml, ts, uri, xml, yaml },
};

/** What people write behind a fence, where it is not the name itself. */
const NAMES: Readonly<Record<string, keyof typeof languages>> = {
  ...{ sh: 'bash', shell: 'bash', zsh: 'bash', console: 'bash', 'shell-session': 'bash', cpp: 'c', 'c++': 'c', h: 'c' },
  ...{ cc: 'c', cs: 'java', csharp: 'java', kotlin: 'java', kt: 'java', swift: 'ts', scss: 'css', less: 'css' },
  ...{ patch: 'diff', dockerfile: 'docker', golang: 'go', htm: 'html', vue: 'html', svelte: 'html', conf: 'ini' },
  ...{ javascript: 'js', mjs: 'js', cjs: 'js', jsx: 'js', typescript: 'ts', tsx: 'ts', mts: 'ts', cts: 'ts' },
  ...{ jsonc: 'json', json5: 'json', jsonl: 'json', makefile: 'make', mk: 'make', perl: 'pl', python: 'py', py3: 'py' },
  ...{ rust: 'rs', svg: 'xml', yml: 'yaml', postgres: 'sql', mysql: 'sql', sqlite: 'sql' },
};

const STYLES: Readonly<Record<ShjToken, Style | null>> = {
  ...{
    deleted: 'removed',
    insert: 'added',
    err: 'error',
    var: null,
    section: 'heading',
    kwd: 'keyword',
    class: 'type',
  },
  ...{ cmnt: 'comment', type: 'type', func: 'function', bool: 'number', num: 'number', oper: null, str: 'string' },
  esc: 'number',
};

/** A line that is longer than this is hardly written by people. */
const LONGEST_LINE = 2000;
/** How much of a comment or a text that goes over lines is read again for the next line. */
const LONGEST_OPEN = 4000;

/** The colours of code. This file loads all languages; load it with the first block of code. */
export const codeColours: CodeColours = {
  begin(name) {
    const key = name.toLowerCase();
    const language = Object.hasOwn(languages, key) ? (key as keyof typeof languages) : NAMES[key];
    return language && (Object.hasOwn(NAMES, key) || Object.hasOwn(languages, key)) ? colourLines(language) : null;
  },
};

/** `open` are the lines since the last one that ended outside of a comment or a text. */
function colourLines(language: keyof typeof languages, open = ''): LineColours {
  let before = open;
  const colour = (line: string): { spans: Span[]; isOpen: boolean } => {
    if (line.length > LONGEST_LINE) return { spans: [{ text: line }], isOpen: false };
    const text = `${before}${line}\n`;
    const spans: Span[] = [];
    let at = 0;
    let last: ShjToken | undefined;
    tokenizeWith(
      text,
      languages[language],
      (part, token) => {
        const from = Math.max(before.length - at, 0);
        const shown = part.slice(from).replace(/\n$/, '');
        const style = token ? STYLES[token] : null;
        // The end of the line belongs to the token that continues after it.
        if (part.endsWith('\n')) last = token;
        at += part.length;
        if (shown !== '') spans.push({ text: shown, ...(style && { styles: [style] }) });
      },
      { languages },
    );
    return { spans, isOpen: last === 'cmnt' || last === 'str' };
  };
  return {
    line(line) {
      const { spans, isOpen } = colour(line);
      before = isOpen && before.length + line.length < LONGEST_OPEN ? `${before}${line}\n` : '';
      return spans;
    },
    peek: (line) => colour(line).spans,
  };
}
