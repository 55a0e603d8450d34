import { describe, expect, test } from 'vitest';
import { bareText, htmlToMarkdown } from '../../../src/tools/web/web-markdown.ts';
import { pageText } from '../../../src/tools/web/web-page.ts';
import { Aborted } from '../../../src/util/abort.ts';

const { signal } = new AbortController();

function textOf(body: string | Buffer, contentType: string): Promise<string> {
  return pageText(Buffer.from(body), contentType, signal);
}

describe('HTML', () => {
  test('becomes Markdown, without what is no content', async () => {
    const html = `<html><head><title>Title</title><style>p{}</style><script>evil()</script></head><body>
      <nav><a href="/">Home</a></nav>
      <h1>Guide</h1><p>Some <b>bold</b> <a href="https://a.com/x">link</a>, <a href="javascript:x()">none</a>.</p>
      <ul><li>one</li><li>two</li></ul>
      <pre><code>let x = 1;</code></pre>
      <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
      <img src="data:image/png;base64,AAAA" alt="a picture"><noscript>no</noscript></body></html>`;
    const markdown = await textOf(html, 'text/html; charset=utf-8');
    expect(markdown).toContain('# Guide\n\nSome **bold** [link](https://a.com/x), none.');
    expect(markdown).toMatch(/-\s+one\n-\s+two/);
    expect(markdown).toContain('```\nlet x = 1;\n```');
    expect(markdown).toMatch(/\| A \| B \|\n\| 1 \| 2 \|/);
    expect(markdown).toContain('a picture');
    expect(markdown).not.toMatch(/evil|p\{\}|Home|javascript|base64|\bno\b/);
  });

  test('that would take for ever becomes its bare text', async () => {
    const hostile = `<p>start</p>${'<div>'.repeat(100_000)}<p>end</p>`;
    expect(await htmlToMarkdown(hostile, signal, 300)).toBe('start end');
  });

  test('an abort ends the conversion', async () => {
    const controller = new AbortController();
    const pending = htmlToMarkdown('<div>'.repeat(100_000), controller.signal);
    setTimeout(() => controller.abort(new Aborted('interrupt')), 50);
    await expect(pending).rejects.toMatchObject({ kind: 'interrupt' });
  });

  test('bare text is found in one pass', () => {
    expect(bareText('<P>a<SCRIPT>x < y</ScRiPt >b</p>\n\n\n <i>c')).toBe('a b\nc');
    expect(bareText('a <script>never closed')).toBe('a');
    expect(bareText('a < b')).toBe('a');
    const started = Date.now();
    bareText('<script>'.repeat(500_000));
    bareText('<'.repeat(2_000_000));
    expect(Date.now() - started).toBeLessThan(2000);
  });
});

describe('types', () => {
  test.each([
    'application/json',
    'application/ld+json; charset=utf-8',
    'text/plain',
    'TEXT/Markdown',
    'application/xml',
    'image/svg+xml',
    'application/javascript',
  ])('%s is taken as it is', async (type) => {
    expect(await textOf('<a> & {"b": 1}', type)).toBe('<a> & {"b": 1}');
  });

  test('without a type the body is looked at', async () => {
    expect(await textOf('\n<!DOCTYPE html><p>x', '')).toBe('x');
    expect(await textOf('just <p>text', '')).toBe('just <p>text');
    await expect(textOf('a\0b', '')).rejects.toThrow(/binary data \(3 bytes\)/);
  });

  test('what is no text is an error that says what it is', async () => {
    await expect(textOf('123', 'image/png')).rejects.toThrow(/image\/png \(3 bytes\), which is no text/);
    await expect(textOf('%PDF', 'application/pdf')).rejects.toThrow(/Download the PDF with a command.*Read/);
    await expect(textOf('x', 'application/octet-stream')).rejects.toThrow(/octet-stream/);
  });
});

describe('charsets', () => {
  const latin1 = Buffer.from('Grüße', 'latin1');
  test.each([
    ['named in the header', latin1, 'text/plain; charset="ISO-8859-1"', 'Grüße'],
    ['another', Buffer.from([0x8a, 0xbf, 0x8e, 0x9a]), 'text/plain;charset=Shift_JIS', '漢字'],
    ['UTF-8 by default', Buffer.from('Grüße'), 'text/plain', 'Grüße'],
    ['UTF-8 where the name is unknown', Buffer.from('Grüße'), 'text/plain; charset=nonsense', 'Grüße'],
    ['a byte order mark', Buffer.from('\ufeffGrüße', 'utf16le'), 'text/plain; charset=utf-8', 'Grüße'],
    ['UTF-8 with a mark', Buffer.from('\ufeffGrüße'), 'text/plain', 'Grüße'],
    ['named in the page', Buffer.from('<meta charset="latin1"><p>Grüße', 'latin1'), 'text/html', 'Grüße'],
  ])('%s', async (_name, body, type, text) => {
    expect(await textOf(body, type)).toBe(text);
  });
});
