import { PassThrough, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { stdioTransport } from '../../../src/host/serve/stdio.ts';

function streams(): { input: PassThrough; output: PassThrough } {
  return { input: new PassThrough(), output: new PassThrough() };
}

describe('stdioTransport', () => {
  test('[P-19] close waits until the slowest reader has taken everything', async () => {
    const taken: string[] = [];
    const output = new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        setTimeout(() => {
          taken.push(chunk);
          done();
        }, 30);
      },
    });
    const transport = stdioTransport(new PassThrough(), output);
    await transport.connect();
    await transport.write({ type: 'result' });
    await transport.close();
    expect(taken.join('')).toBe('{"type":"result"}\n');
    expect(output.writableFinished).toBe(true);
  });

  test('close lets go of the input: nothing keeps the process alive', async () => {
    const { input, output } = streams();
    const transport = stdioTransport(input, output);
    output.resume();
    await transport.close();
    expect(input.destroyed).toBe(true);
  });

  test('[P-12] the end of the input ends the reading, not the writing', async () => {
    const { input, output } = streams();
    const transport = stdioTransport(input, output);
    await transport.connect();
    input.end('{"last":"without newline"}');
    const lines: unknown[] = [];
    for await (const line of transport.readMessages()) lines.push(line);
    expect(lines).toEqual([{ last: 'without newline' }]);
    await transport.write({ type: 'result' });
    await transport.close();
    expect(String(output.read())).toBe('{"type":"result"}\n');
  });

  test('[P-15] a reader that is gone is told, and writes are rejected', async () => {
    const { input, output } = streams();
    const transport = stdioTransport(input, output);
    let gone = 0;
    transport.onReaderGone(() => gone++);
    output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(gone).toBe(1);
    await expect(transport.write({})).rejects.toMatchObject({ code: 'closed' });
    await transport.close();
  });

  test('exit never makes anyone wait', async () => {
    const { input, output } = streams();
    expect(await stdioTransport(input, output).exit).toEqual({ code: 0, signal: null, stderr: '' });
  });
});
