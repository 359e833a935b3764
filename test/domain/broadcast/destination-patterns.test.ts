import { expect, test } from '@jest/globals';
import { SQL_NAME } from '../../../domain/broadcast/destination-patterns.ts';

test('the pattern of names in SQL accepts its valid examples and refuses the invalid ones', () => {
  for (const name of ['OPENROUTER_TRACES', '_a$1']) expect(name).toMatch(SQL_NAME);
  for (const name of ['', '1a', 'a b', 'a`b', 'a"b', 'a.b', 'a\n']) expect(name).not.toMatch(SQL_NAME);
});
