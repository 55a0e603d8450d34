/** How every warning of our agent begins; further lines of it are indented. */
const HEAD = 'heddle: ';
const MORE = '  ';
/** What has no end by then is no warning. */
const MAX_PENDING = 65_536;

/**
 * Finds the warnings in what an agent writes to stderr, and hands on each, without its head. Anything else there, such as
 * the words of other programs, is passed over: it is no warning, and the error of a failed run quotes it.
 */
export function warningsIn(onWarning: (message: string) => void): (text: string) => void {
  let pending = '';
  return (text) => {
    const whole = (pending + text).lastIndexOf('\n') + 1;
    const lines = (pending + text).slice(0, whole).split('\n');
    pending = (pending + text).slice(whole).slice(-MAX_PENDING);
    let warning: string[] | null = null;
    const tell = () => {
      if (warning) onWarning(warning.join('\n'));
      warning = null;
    };
    for (const line of lines) {
      if (warning && line.startsWith(MORE)) warning.push(line.slice(MORE.length));
      else {
        tell();
        warning = line.startsWith(HEAD) ? [line.slice(HEAD.length)] : null;
      }
    }
    tell();
  };
}
