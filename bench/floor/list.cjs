// The floor of a list: every session file is looked at with a stat, and of those that are shown the two ends are read. Nothing is parsed.
//   BENCH_SESSIONS=HOME node list.cjs [COUNT]      the newest COUNT sessions, or all
'use strict';
const fs = require('node:fs');
const HEAD = 4096;
const TAIL = 16384;
const root = process.env.BENCH_SESSIONS + '/projects/';
const count = process.argv[2] ? Number(process.argv[2]) : undefined;
const files = [];
for (const folder of fs.readdirSync(root)) {
  for (const name of fs.readdirSync(root + folder)) {
    const path = root + folder + '/' + name;
    const { mtimeMs, size } = fs.statSync(path);
    files.push({ path, mtimeMs, size });
  }
}
files.sort((a, b) => b.mtimeMs - a.mtimeMs);
const shown = files.slice(0, count);
const head = Buffer.allocUnsafe(HEAD);
const tail = Buffer.allocUnsafe(TAIL);
for (const { path, size } of shown) {
  const fd = fs.openSync(path);
  fs.readSync(fd, head, 0, HEAD, 0);
  fs.readSync(fd, tail, 0, TAIL, Math.max(0, size - TAIL));
  fs.closeSync(fd);
}
process.stdout.write('listed ' + shown.length + '\n');
