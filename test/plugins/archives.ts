import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** A file of an archive that a test makes; everything may be wrong. */
export interface MadeFile {
  path: string | Buffer;
  data?: string | Buffer;
  /** With the type of Unix, such as 0o120777 for a link. */
  mode?: number;
  /** What the archive claims. */
  claims?: number;
  crc?: number;
  flags?: number;
  method?: number;
  /** The name in the header of the file, where it differs from the directory. */
  localPath?: string;
  /** Points to the content of the file before. */
  overlaps?: boolean;
  /** Of a tar archive. */
  type?: string;
  link?: string;
}

/** A zip archive, with everything as the test says. */
export function zip(files: readonly MadeFile[], { tail = '', count = files.length } = {}): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  let last = 0;
  for (const file of files) {
    const content = Buffer.from(file.data ?? '');
    const method = file.method ?? 8;
    const packed = method === 8 ? deflateRawSync(content) : content;
    const name = Buffer.from(file.path);
    const localName = Buffer.from(file.localPath ?? file.path);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt16LE(localName.length, 26);
    const at = file.overlaps ? last : offset;
    const head = Buffer.alloc(46);
    head.writeUInt32LE(0x02014b50, 0);
    head.writeUInt8(3, 5);
    head.writeUInt16LE(file.flags ?? 0, 8);
    head.writeUInt16LE(method, 10);
    head.writeUInt32LE(file.crc ?? crc32(content), 16);
    head.writeUInt32LE(packed.length, 20);
    head.writeUInt32LE(file.claims ?? content.length, 24);
    head.writeUInt16LE(name.length, 28);
    head.writeUInt32LE(((file.mode ?? 0o100644) << 16) >>> 0, 38);
    head.writeUInt32LE(at, 42);
    central.push(head, name);
    last = offset;
    locals.push(local, localName, packed);
    offset += local.length + localName.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end, Buffer.from(tail)]);
}

/** A tar archive, packed with gzip unless `isPlain`. */
export function tar(files: readonly MadeFile[], { isPlain = false } = {}): Buffer {
  const blocks = files.flatMap((file) => {
    const content = Buffer.from(file.data ?? '');
    const header = Buffer.alloc(512);
    header.write(String(file.path).slice(0, 100), 0);
    header.write(`${(file.mode ?? 0o644).toString(8).padStart(7, '0')}\0`, 100);
    header.write(`${(file.claims ?? content.length).toString(8).padStart(11, '0')}\0`, 124);
    header.write('        ', 148);
    header.write(file.type ?? '0', 156);
    header.write(file.link ?? '', 157);
    header.write('ustar\x0000', 257, 'latin1');
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${(file.crc ?? sum).toString(8).padStart(6, '0')}\0 `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  const all = Buffer.concat([...blocks, Buffer.alloc(1024)]);
  return isPlain ? all : gzipSync(all);
}

/** The extended header that gives the next file another path. */
export function paxHeader(path: string): MadeFile {
  const body = ` path=${path}\n`;
  let length = body.length + 1;
  while (String(length).length + body.length !== length) length++;
  return { path: 'PaxHeader', type: 'x', data: `${length}${body}` };
}
