/**
 * A program for the kernel's filter of system calls that lets no process make a unix socket. A socket of the machine can
 * be bound, moved, linked and named in ways that no list of paths shows; without a socket of its own a process can
 * connect to none. Connected pairs stay, because pipes of many programs are such.
 *
 * Null for a processor whose calls are not known here.
 */
export function socketFilter(arch: string): Buffer | null {
  const machine = MACHINES[arch];
  if (machine === undefined) return null;
  return Buffer.concat(assemble(machine));
}

interface Calls {
  /** The kernel's number for the kind of program. */
  kind: number;
  socket: number;
  socketpair: number;
  /** A call whose arguments cannot be seen; it is refused as a whole. */
  any?: number;
}

interface Machine {
  kinds: readonly Calls[];
  /** Calls with this bit belong to a third kind of program, which is refused. */
  otherBit?: number;
}

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    kinds: [
      { kind: 0xc000003e, socket: 41, socketpair: 53 },
      { kind: 0x40000003, socket: 359, socketpair: 360, any: 102 },
    ],
    otherBit: 0x40000000,
  },
  arm64: {
    kinds: [
      { kind: 0xc00000b7, socket: 198, socketpair: 199 },
      { kind: 0x40000028, socket: 281, socketpair: 288, any: 102 },
    ],
  },
};

/** It makes and connects sockets without system calls. The number is the same on all machines. */
const IO_URING_SETUP = 425;

const [LOAD, AND, RETURN] = [0x20, 0x54, 0x06];
const [IF_EQUAL, IF_BIT] = [0x15, 0x45];
/** Where the number of the call, the kind of program and the low halves of its arguments stand. */
const [NUMBER, KIND, FAMILY, TYPE] = [0, 4, 16, 24];
const ALLOW = 0x7fff0000;
const DENY = 0x0005000d; // EACCES
const NO_SUCH_CALL = 0x00050026; // ENOSYS

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const TYPE_MASK = 0xf;

/** Each kind of program has a block of its own, which its first line skips for other kinds. */
function assemble({ kinds, otherBit }: Machine): Buffer[] {
  const blocks = kinds.map((calls) => blockOf(calls, calls === kinds[0] ? otherBit : undefined));
  const guarded = blocks.flatMap((block, at) => [
    line(LOAD, KIND),
    line(IF_EQUAL, kinds[at]?.kind ?? 0, 0, block.length),
    ...block,
  ]);
  return [...guarded, line(RETURN, NO_SUCH_CALL)];
}

function blockOf({ socket, socketpair, any }: Calls, otherBit: number | undefined): Buffer[] {
  const refused = (test: Buffer, how: number) => [test, line(RETURN, how)];
  const byNumber = (number: number) => line(IF_EQUAL, number, 0, 1);
  return [
    line(LOAD, NUMBER),
    ...(otherBit === undefined ? [] : refused(line(IF_BIT, otherBit, 0, 1), NO_SUCH_CALL)),
    ...refused(byNumber(IO_URING_SETUP), NO_SUCH_CALL),
    ...(any === undefined ? [] : refused(byNumber(any), DENY)),
    // socket: any but AF_UNIX
    line(IF_EQUAL, socket, 0, 4),
    line(LOAD, FAMILY),
    line(IF_EQUAL, AF_UNIX, 0, 1),
    line(RETURN, DENY),
    line(RETURN, ALLOW),
    // socketpair: of AF_UNIX only what stays connected; datagrams could be sent to any address
    line(IF_EQUAL, socketpair, 0, 7),
    line(LOAD, FAMILY),
    line(IF_EQUAL, AF_UNIX, 0, 5),
    line(LOAD, TYPE),
    line(AND, TYPE_MASK),
    line(IF_EQUAL, SOCK_STREAM, 2, 0),
    line(IF_EQUAL, SOCK_SEQPACKET, 1, 0),
    line(RETURN, DENY),
    line(RETURN, ALLOW),
  ];
}

/** One instruction; the jumps count the lines that are skipped. Both machines store the low byte first. */
function line(code: number, value: number, ifTrue = 0, ifFalse = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
