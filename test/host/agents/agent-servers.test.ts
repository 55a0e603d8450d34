import { expect, test, vi } from 'vitest';
import { agentServersByName, type ServedThread } from '../../../src/host/agents/agent-servers.ts';

const { signal } = new AbortController();

/** A teammate with a server of its own, whose connections are made by `connectFor`. */
function childWith(connectFor: () => Promise<{ tools: never[]; close(): Promise<void> }>): ServedThread {
  const mcp = { current: null, open: async () => ({ connectFor, statuses: () => [] }) };
  return {
    identity: { agent: { type: 'weaver', servers: [{ own: { command: 'x' } }] } },
    permissions: { policy: { deny: [] } },
    toolbox: { lend: () => () => {} },
    services: { mcp, warnOnce: () => {} },
  };
}

const opened = (close = vi.fn(async () => {})) => ({ tools: [], close });

test('servers of a teammate are connected once', async () => {
  const connectFor = vi.fn(async () => opened());
  const servers = agentServersByName();
  const child = childWith(connectFor);
  await servers.open('mate', child, signal);
  await servers.open('mate', child, AbortSignal.abort());
  await servers.open('mate', child, signal);
  expect(connectFor).toHaveBeenCalledTimes(1);
});

test('those that could not be opened are opened by the next turn', async () => {
  const connectFor = vi.fn(async () => opened()).mockRejectedValueOnce(new Error('no loom'));
  const servers = agentServersByName();
  const child = childWith(connectFor);
  await expect(servers.open('mate', child, signal)).rejects.toThrow('no loom');
  await servers.open('mate', child, signal);
  expect(connectFor).toHaveBeenCalledTimes(2);
});

test('those of a turn that was interrupted before all were connected are closed, and opened by the next turn', async () => {
  const stop = new AbortController();
  const close = vi.fn(async () => {});
  const connectFor = vi.fn(async () => opened());
  connectFor.mockImplementationOnce(async () => {
    stop.abort();
    return opened(close);
  });
  const servers = agentServersByName();
  const child = childWith(connectFor);
  await servers.open('mate', child, stop.signal);
  expect(close).toHaveBeenCalledTimes(1);
  await servers.open('mate', child, signal);
  expect(connectFor).toHaveBeenCalledTimes(2);
});
