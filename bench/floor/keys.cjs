// The floor of a terminal: paints a prompt and echoes keys, nothing else. Ctrl+D ends it.
process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => {
  if (bytes.includes(4)) process.exit(0);
  process.stdout.write(bytes);
});
process.stdout.write('❯ ');
