import { describe, expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { bash, policyFor, rules } from './policy-for.ts';

const policy = policyFor({ mode: 'bypassPermissions', deny: rules('Bash(touch:*)') });

describe('programs that run the tasks of a file', () => {
  it.each([
    'just test',
    'task build lint',
    'tox -e py311',
    'pre-commit run --all-files',
    'nx test app',
    'turbo run build',
    'rake db:migrate test',
    'rake -T',
  ])('[R-6] are known by the names of tasks: %s', (command) => {
    expect(decide(bash(command), policy).behavior).toBe('allow');
  });

  it.each([
    "rake -e 'system(1)'",
    'just --shell touch x',
    "just x='$(touch x)'",
    'nx exec -- touch x',
    'lerna exec touch x',
    'pre-commit try-repo x',
    'tox -e py -- x',
    'invoke --collection x',
    'just touch',
    'task -t x.yml "$x"',
  ])('[R-3] [K44] are not known with other words: %s', (command) => {
    expect(decide(bash(command), policy).behavior).toBe('deny');
  });
});
