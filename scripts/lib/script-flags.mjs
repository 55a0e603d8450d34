// The options of a script: `--help` prints its text, and what cannot be meant is refused with it.
import { parseArgs } from 'node:util';

/** `check` may throw for values that make no sense; what it returns are the flags. Ends the script unless all is well. */
export function scriptFlags({ name, help, options, check = (values) => values }) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } });
    if (!values.help) return check(values);
    process.stdout.write(help);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${name}: ${error.message}\n\n${help}`);
    process.exit(2);
  }
}
