import fc from 'fast-check';

/** In CI, properties are tried with the same values in every run: its verdict is about the change, not about luck. */
if (process.env.CI) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20 });
