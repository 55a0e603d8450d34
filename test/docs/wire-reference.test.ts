import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type CliSubtype,
  cliRequests,
  entrySchemas,
  type HostSubtype,
  hostRequests,
  messageSchemas,
  parseCliRequest,
  parseEntry,
  parseHostRequest,
  parseMessage,
  readCliResponse,
  readEntry,
  readHostResponse,
} from '../../src/wire/index.ts';
import { ROOT } from '../support/root.ts';

/** Each kind of line has a section in the reference whose example our own readers take for just that kind. */
const sections = readSections();

describe('docs/wire-reference.md', () => {
  test.each(Object.keys(messageSchemas))('the message %s', (kind) => {
    const title = [...sections.keys()].find((each) => each.split(', ').includes(kind)) ?? '';
    const [example] = examplesOf(title);
    const [type, subtype] = kind.split('/');
    expect(example).toMatchObject({ type, ...(subtype && !title.includes(',') && { subtype }) });
    expect(parseMessage(example)).toMatchObject({ ok: true });
  });

  test.each(Object.keys(hostRequests) as HostSubtype[])('the request of the host %s, and its answer', (subtype) => {
    const [asked, answered] = exchangeOf(`host: ${subtype}`);
    expect(parseHostRequest(asked)).toMatchObject({ ok: true, request: { subtype } });
    expect(() => readHostResponse(subtype, answered)).not.toThrow();
  });

  test.each(Object.keys(cliRequests) as CliSubtype[])('the request of the agent %s, and its answer', (subtype) => {
    const [asked, answered] = exchangeOf(`agent: ${subtype}`);
    expect(parseCliRequest(asked)).toMatchObject({ ok: true, request: { subtype } });
    expect(() => readCliResponse(subtype, answered)).not.toThrow();
  });

  test.each(Object.keys(entrySchemas) as (keyof typeof entrySchemas)[])('the entry %s', (kind) => {
    const [example] = examplesOf(`entry ${kind}`);
    const parsed = parseEntry(example);
    if (!parsed.ok) throw parsed.error;
    expect(parsed.entry.type).toBe(kind);
    expect(readEntry(kind, parsed.entry)).toMatchObject({ ok: true });
  });
});

function readSections(): Map<string, string> {
  const page = readFileSync(join(ROOT, 'docs/wire-reference.md'), 'utf8');
  const parts = page.split(/^### (.*)$/m).slice(1);
  return new Map(parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1] ?? '']] : [])));
}

function examplesOf(title: string): Record<string, unknown>[] {
  const [, code = ''] = /```json\n([\s\S]*?)```/.exec(sections.get(title) ?? '') ?? [];
  return code
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** What is asked, and the body of the answer. */
function exchangeOf(title: string): [unknown, unknown] {
  const [request, response] = examplesOf(title);
  return [request?.request, (response?.response as Record<string, unknown> | undefined)?.response];
}
