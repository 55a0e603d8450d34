import { describe, expect, test } from 'vitest';
import { guessedWindow } from '../../../src/host/models/known-models.ts';

describe('what is said of a model that nobody has told about', () => {
  test.each([
    ['sonet', /Did you mean --model sonnet\?$/],
    ['oppus', /Did you mean --model opus\?$/],
    ['gpt-4.1', /--model openai\/gpt-4\.1\.$/],
    ['o3', /--model openai\/o3\.$/],
    ['claude-of-tomorrow', /HEDDLE_MODEL_LIMITS or HEDDLE_CONTEXT_WINDOW sets it\.$/],
    ['openai/loom', /HEDDLE_CONTEXT_WINDOW sets it\.$/],
  ])('%s', (id, hint) => {
    const said = guessedWindow({ id, contextWindow: 200_000 });
    expect(said).toMatch(/is unknown; assuming 200,000 tokens\. /);
    expect(said).toMatch(hint);
  });
});
