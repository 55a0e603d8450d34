import { expect, test } from 'vitest';
import { describeNearest } from '../../../src/tools/files/nearest-text.ts';

const CODE = `import { a } from './a.ts';

export function greet(name: string) {
\tconst text = "Hello, " + name;
\treturn text;
}

export function leave(name: string) {
\treturn 'Bye, ' + name;
}
`;

test('names the lines and says that the indentation differs', async () => {
  expect(await describeNearest(CODE, '    const text = "Hello, " + name;\n    return text;')).toBe(
    [
      'The nearest is at lines 4 to 5:',
      '     4→\tconst text = "Hello, " + name;',
      '     5→\treturn text;',
      'It differs in indentation: the first is in line 4, where the file has "\\tconst text = \\"Hello, \\" + name;" and old_string "    const text = \\"Hello, \\" + name;".',
    ].join('\n'),
  );
});

test.each([
  ['blank lines around it or white space at line ends', '\treturn text;  \n}', 'lines 5 to 6'],
  ['indentation', 'return text;\n  }', 'lines 5 to 6'],
  ['white space', 'export function greet( name:string ) {', 'line 3'],
  ['characters that look alike', 'const text = “Hello, ” + name;', 'line 4'],
  ['characters that look alike', "return 'Bye,\u00a0' +\u200b name;", 'line 9'],
  ['backslashes', 'const text = \\"Hello, \\" + name;', 'line 4'],
  ['upper and lower case', 'EXPORT function LEAVE(name: string) {', 'line 8'],
])('%s', async (differs, wanted, place) => {
  const found = await describeNearest(CODE, wanted);
  expect(found).toContain(`It differs in ${differs}`);
  expect(found).toContain(`at ${place}:`);
});

test('finds what is only similar, and shows the first difference', async () => {
  const found = await describeNearest(CODE, "export function leave(name: string) {\n\treturn 'Goodbye, ' + name;\n}");
  expect(found).toContain('at lines 8 to 10:');
  expect(found).toContain('in line 9, where the file has "\\treturn \'Bye, \' + name;" and old_string');
});

test('says nothing when nothing is like it', async () => {
  expect(await describeNearest(CODE, 'SELECT * FROM users WHERE id = 42')).toBeNull();
  expect(await describeNearest(CODE, '  \n ')).toBeNull();
  expect(await describeNearest('', 'text')).toBeNull();
});

test('is the same for CRLF', async () => {
  expect(await describeNearest(CODE.replaceAll('\n', '\r\n'), 'return text;\n  }')).toContain('at lines 5 to 6:');
});

test('stays short', async () => {
  const lines = Array.from({ length: 200 }, (_, index) => `const value${index} = ${'x'.repeat(220)};`);
  const found = await describeNearest(lines.join('\n'), lines.map((line) => `  ${line}`).join('\n'));
  expect(found).toContain('(188 more lines)');
  expect(found?.length).toBeLessThan(4000);
});

test('is quick in large files, and gives up in huge ones', async () => {
  const lines = Array.from(
    { length: 60_000 },
    (_, index) => `  if (entry${index}.isOpen && count > ${index}) close(${index});`,
  );
  const started = process.cpuUsage(); // not the clock: others may be using the machine
  expect(await describeNearest(lines.join('\n'), 'if (entry5000.isOpened && count >= 5000) close(5000);')).toContain(
    'line 5001',
  );
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(3000);
  expect(await describeNearest('x\n'.repeat(3_000_000), 'y x')).toBeNull();
});
