import { expect, test } from '@jest/globals';
import { operations } from '../../contract/operations.ts';

const NAMED = [
  'createKey',
  'updateKey',
  'createWorkspace',
  'updateWorkspace',
  'createClassifier',
  'updateClassifier',
  'createIntern',
  'createInternKey',
  'updatePreset',
  'createObservabilityDestination',
  'updateObservabilityDestination',
] as const;

test.each(NAMED)('%s refuses a name of whitespace and names the rule', (id) => {
  const { schema } = operations[id].body;
  const issuesOf = (name: string) => {
    const { success, error } = schema.safeParse({ name });
    return success ? [] : error.issues.filter(({ path }) => path[0] === 'name').map(({ message }) => message);
  };
  for (const name of [' ', '\n\t', '\u{85}', '\u{3000}\u{a0}']) {
    expect(issuesOf(name)).toEqual(['must not be whitespace only']);
  }
  for (const name of [' a', '\u{feff}', '\u{200b}']) expect(issuesOf(name)).toEqual([]);
  expect(issuesOf('')).toEqual(['must not be empty']);
});
