import { expect, test, vi } from 'vitest';
import { problems } from './support/exceptions.ts';
import { createProgram } from './support/program.ts';
import { crowdedTypes, lateGetters, spreadInstances, wholeServices } from './support/typed-rules.ts';

const MEMBERS = 20;
const MEMBERS_THAT_NEED_THE_WHOLE = 4;

/** Making it takes most of the time: all rules that need types are in this file. */
/** The type checker reads the whole program, which takes half a minute where other work runs beside it. */
vi.setConfig({ testTimeout: 180_000 });

const program = createProgram();

test(`no interface and no class of host, agent and tools has more than ${MEMBERS} members`, () => {
  expect(problems('members', crowdedTypes(program, MEMBERS))).toEqual([]);
});

test('no parameter and no field is a function that returns a session, a thread or the services', () => {
  expect(problems('late-getters', lateGetters(program))).toEqual([]);
});

test('no instance of a class is spread, nor are the services of a session', () => {
  expect(problems('spread-instances', spreadInstances(program))).toEqual([]);
});

test('outside of thread, session and control, a function that takes the services whole uses more than three', () => {
  expect(problems('whole-services', wholeServices(program, MEMBERS_THAT_NEED_THE_WHOLE))).toEqual([]);
});
