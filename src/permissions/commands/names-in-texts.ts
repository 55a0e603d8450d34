import { everyCommand, isGlob, type ShellCommand, type Word } from '../shell/shell-script.ts';

/**
 * Paths within the texts that a program without a grammar is given, whatever language they are in. A bare name counts
 * only where the text may be about files: people write of directories.
 */
export function namesInTexts({ words, input, fed = [], codes = [] }: ShellCommand): Word[] {
  const texts = [...words.slice(1), ...(input === undefined ? [] : [input]), ...fed];
  const names = new Set(
    texts.flatMap((word) => {
      if (typeof word !== 'string') return [];
      const isAboutFiles = ABOUT_FILES.test(word);
      return word.split(BETWEEN_NAMES).filter((name) => name !== '' && (isAboutFiles || /[./~]/.test(name)));
    }),
  );
  const patterns = codes.flatMap((code) => everyCommand(code).flatMap((command) => command.words.filter(isOpenName)));
  return [...names, ...patterns];
}

const BETWEEN_NAMES = /[\s"'`()<>|;&:,=@{}[\]!\\$]+/;
const ABOUT_FILES =
  /(?:^|[^\w.-])(?:cat|tac|cp|mv|rm|ln|tar|zip|touch|tee|sed|chmod|chown|truncate|dd|install|rsync|head|tail|less|more|grep|source|open|fopen|load|read\w*|write\w*|include|import|incbin|unlink\w*|rmdir|mkdir|rename\w*|rmtree|remove\w*|copy\w*|dump|get|put|addmod|addlib|file|fl)(?![\w-])/i;

function isOpenName(word: Word): boolean {
  return (
    typeof word === 'object' && isGlob(word) && word.parts.some((part) => typeof part === 'string' && /\w/.test(part))
  );
}
