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
import { examplesOf, exchangeOf, sections } from './wire-sections.ts';

/** Each kind of line has a section in the reference whose example our own readers take for just that kind. */
describe('docs/reference/wire.md', () => {
  test.each(Object.keys(messageSchemas))('the message %s', (kind) => {
    const title = [...sections.keys()].find((each) => each.split(', ').includes(kind)) ?? '';
    const [example] = examplesOf(title);
    const [type, subtype] = kind.split('/');
    expect(example).toMatchObject({ type, ...(subtype && !title.includes(',') && { subtype }) });
    expect(parseMessage(example)).toMatchObject({ ok: true });
  });

  test.each(Object.keys(hostRequests) as HostSubtype[])('the request of the host %s, and its answer', (subtype) => {
    const { asked, answered } = exchangeOf(`host: ${subtype}`);
    expect(parseHostRequest(asked)).toMatchObject({ ok: true, request: { subtype } });
    if (answered.subtype === 'success') readHostResponse(subtype, answered.response);
    else expect(answered.error).toBe(`Unsupported control request subtype: ${subtype}`);
  });

  test.each(Object.keys(cliRequests) as CliSubtype[])('the request of the agent %s, and its answer', (subtype) => {
    const { asked, answered } = exchangeOf(`agent: ${subtype}`);
    expect(parseCliRequest(asked)).toMatchObject({ ok: true, request: { subtype } });
    expect(() => readCliResponse(subtype, answered.response)).not.toThrow();
  });

  test.each(Object.keys(entrySchemas) as (keyof typeof entrySchemas)[])('the entry %s', (kind) => {
    const [example] = examplesOf(`entry ${kind}`);
    const parsed = parseEntry(example);
    if (!parsed.ok) throw parsed.error;
    expect(parsed.entry.type).toBe(kind);
    expect(readEntry(kind, parsed.entry)).toMatchObject({ ok: true });
  });
});
