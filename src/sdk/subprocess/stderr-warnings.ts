/** The beginning of every warning of Heddle's agent; its further lines are indented. */
const HEAD = 'heddle: ';
const MORE = '  ';
/** A text longer than this is not a warning. */
const MAX_PENDING = 65_536;

/**
 * Finds the warnings in the agent's stderr and passes each on, without its prefix. It drops everything else, such as
 * the output of other programs; the error of a failed run quotes that.
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
