import { describe, expect, it } from 'vitest';
import { fileCommandPaths } from '../../../src/permissions/commands/file-commands.ts';

describe('fileCommandPaths', () => {
  it.each<[string, string[]]>([
    ['touch a b', ['a', 'b']],
    ['touch -m a', ['a']],
    ['mkdir -p a/b', ['a/b']],
    ['mkdir -m 700 a', ['a']],
    ['rm -rf a', ['a']],
    ['rm -- -a', ['-a']],
    ['rmdir a', ['a']],
    ['mv a b', ['a', 'b', 'b/a']],
    ['mv x/a/ y/b c', ['x/a/', 'y/b', 'c', 'c/a', 'c/b']],
    ['cp -f a /tmp', ['a', '/tmp', '/tmp/a']],
  ])('[TYP-02] names what %j touches', (command, paths) => {
    expect(fileCommandPaths(command.split(' '))).toEqual(paths);
  });

  it.each([
    'touch',
    'touch -r /etc/passwd a',
    'touch --reference=x a',
    'touch a -r b',
    'mkdir -Z a',
    'rm --no-preserve-root -rf /',
    'rm -rf',
    'rmdir -p a/b',
    'mv a',
    'mv -t /etc a',
    'mv --target-directory=/etc a',
    'mv -b a b',
    'mv -S x a b',
    'mv --backup a b',
    'cp a',
    'cp -r a b',
    'cp -R a b',
    'cp -a a b',
    'cp -L a b',
    'cp -s a b',
    'cp -l a b',
    'cp -t /etc a',
    'cp --parents a b',
    'cp -',
    'ln -s a b',
    'ln a b',
    'chmod +x a',
    'install a b',
    'truncate -s 0 a',
    'tee a',
    'ls a',
    '/bin/rm a',
    './touch a',
  ])('[R-9] does not vouch for %j', (command) => {
    expect(fileCommandPaths(command.split(' '))).toBeNull();
  });
});
