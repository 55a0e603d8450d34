/** Lines that no host should send; each of their kind has ended some program once (trust P-1, P-4). Without line feeds. */
export const ODD_LINES: readonly Buffer[] = [
  ...notJson(),
  ...otherValues(),
  ...oddMessages(),
  ...oddRequests(),
  ...oddBytes(),
];

/** Ten megabytes each: too much to be thrown at a program often. */
export function hugeLines(): Buffer[] {
  const size = 10_000_000;
  return [
    Buffer.alloc(size, 'x'),
    Buffer.alloc(size, '['),
    Buffer.from(`"${'y'.repeat(size)}"`),
    Buffer.from(`{"type":"${'z'.repeat(size)}"}`),
  ];
}

/** The id of a line that is a request, where it has one that can be answered. */
export function requestIdOf(line: Buffer): string | null {
  return idOf(line, 'control_request');
}

/** The id of the request that a line withdraws. */
export function withdrawnIdOf(line: Buffer): string | null {
  return idOf(line, 'control_cancel_request');
}

function notJson(): Buffer[] {
  return [
    ...['-', 'hello', '{', '"half', '{"type":"user"', '{"type":"control_request","request_id":"d","request":'],
    ...["{'type':'user'}", '{"type":"user",}', '{"type":"keep_alive"}{"type":"keep_alive"}', 'data: {"type":"user"}'],
  ].map(bytes);
}

function otherValues(): Buffer[] {
  return ['null', 'true', '0', '1e999', '""', '"user"', '[]', '[[[]]]', '[{"type":"user"}]', '{}'].map(bytes);
}

function oddMessages(): Buffer[] {
  const message = (content: unknown) => JSON.stringify({ type: 'user', message: { role: 'user', content } });
  return [
    ...['{"type":null}', '{"type":[]}', '{"type":"user"}', '{"type":"user","message":null}', '{"type":"result"}'],
    ...['{"type":"user","message":{"role":"user"}}', '{"type":"user","message":"text"}', '{"type":"system"}'],
    ...[
      '{"type":"user","message":{"role":"assistant","content":"x"}}',
      '{"type":"assistant"}',
      '{"type":"stream_event"}',
    ],
    ...['{"__proto__":{"type":"user"}}', '{"type":"__proto__"}', '{"type":"constructor"}', '{"type":"toString"}'],
    ...[message([null, 5]), message({}), message([{ type: 'hologram' }]), message([{ type: 'image', source: 7 }])],
    ...[message([{ type: 'tool_result', tool_use_id: 'toolu_nobody', content: 'x' }])],
    `{"type":"user","message":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`,
  ].map(bytes);
}

function oddRequests(): Buffer[] {
  const request = (id: string, body: object) =>
    JSON.stringify({ type: 'control_request', request_id: id, request: body });
  return [
    ...['{"type":"control_request"}', '{"type":"control_request","request_id":5,"request":{"subtype":"interrupt"}}'],
    ...['{"type":"control_request","request_id":null,"request":{"subtype":"interrupt"}}'],
    ...['{"type":"control_request","request_id":"a"}', '{"type":"control_request","request_id":"b","request":[]}'],
    ...['{"type":"control_request","request_id":"i","request":null}', '{"type":"control_cancel_request"}'],
    ...['{"type":"control_response"}', '{"type":"control_response","response":null}'],
    ...['{"type":"control_response","response":{"subtype":"success","request_id":7}}'],
    ...['{"type":"control_cancel_request","request_id":{}}'],
    request('c', {}),
    request('e', { subtype: '__proto__' }),
    request('f', { subtype: 'constructor' }),
    request('g', { subtype: 'set_model', model: { a: 1 } }),
    request('h', { subtype: 'set_permission_mode' }),
    request('j', { subtype: ['interrupt'] }),
    request('k', { subtype: 'no_such_request' }),
    request('__proto__', { subtype: 'no_such_request' }),
    request('x'.repeat(100_000), { subtype: 'no_such_request' }),
  ].map(bytes);
}

function oddBytes(): Buffer[] {
  const texts = ['\ufeff{"type":"keep_alive"}', '\ufeff', '\u0000\u0000\u0000', '\u2028\u2029', '['.repeat(20_000)];
  const invalid = [
    [0xff, 0xfe, 0xc3, 0x28],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x9f, 0xa7],
  ];
  return [...texts.map(bytes), ...invalid.map((list) => Buffer.from(list))];
}

function bytes(text: string): Buffer {
  return Buffer.from(text);
}

function idOf(line: Buffer, wanted: string): string | null {
  try {
    const value = JSON.parse(line.toString('utf8')) as { type?: unknown; request_id?: unknown } | null;
    const id = value?.type === wanted ? value.request_id : undefined;
    return typeof id === 'string' && id !== '' ? id : null;
  } catch {
    return null;
  }
}
