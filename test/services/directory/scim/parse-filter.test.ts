import { describe, expect, test } from '@jest/globals';
import { parseFilter } from '../../../../services/directory/scim/parse-filter.ts';

const refusal = (scimType: string) =>
  expect.objectContaining({ options: expect.objectContaining({ scimType }) });
const eq = (path: string, value: unknown) => ({ op: 'eq', path, value });

describe('parseFilter', () => {
  test.each([
    ['a colon', 'userName eq "a:b"', 'a:b'],
    ['a quote', 'userName eq "a\\"b"', 'a"b'],
    ['a backslash', 'userName eq "a\\\\"', 'a\\'],
    ['an escaped letter', 'userName eq "\\u0041\\n"', 'A\n'],
    ['brackets and words of the grammar', 'userName eq "a] and (b eq \\"1\\")"', 'a] and (b eq "1")'],
    ['nothing', 'userName eq ""', ''],
    ['a digit', 'userName eq "7"', '7'],
    ['true in any case', 'userName eq True', true],
    ['null in any case', 'userName eq NULL', null],
    ['a negative number', 'userName eq -1.5e3', -1_500],
  ])('reads %s in a value', (_, text, value) => {
    expect(parseFilter(text)).toEqual(eq('userName', value));
    expect(parseFilter(`(${text})`)).toEqual(eq('userName', value));
    expect(parseFilter(`${text} and b pr`)).toMatchObject({ op: 'and', filters: [{ value }, { op: 'pr' }] });
  });

  test('reads operators in any case, and names with URNs', () => {
    const name = 'urn:ietf:params:scim:schemas:core:2.0:User:userName';
    expect(parseFilter(`${name} EQ "a"`)).toEqual(eq(name, 'a'));
  });

  test('binds `and` closer than `or`, and `not` closest', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((path) => ({ op: 'pr', path }));
    expect(parseFilter('a pr or b pr and c pr')).toEqual({
      op: 'or',
      filters: [a, { op: 'and', filters: [b, c] }],
    });
    expect(parseFilter('a pr AND b pr OR c pr')).toEqual({
      op: 'or',
      filters: [{ op: 'and', filters: [a, b] }, c],
    });
    expect(parseFilter('Not (a pr) and b pr')).toEqual({ op: 'and', filters: [{ op: 'not', filter: a }, b] });
  });

  test('reads a name behind brackets as a condition on the same value', () => {
    const both = [eq('type', 'work'), eq('value', 'x')];
    const some = { op: 'some', path: 'emails', filter: { op: 'and', filters: both } };
    expect(parseFilter('emails[type eq "work" and value eq "x"]')).toEqual(some);
    expect(parseFilter('emails[type eq "work"].value eq "x"')).toEqual(some);
  });
});

describe('a malformed filter', () => {
  test.each([
    '',
    ' ',
    'userName',
    'userName eq',
    'userName is "x"',
    'userName eq x',
    "userName eq 'x'",
    'userName eq "x',
    'userName eq "x" "y"',
    'userName eq "x" and',
    'userName eq "\\x"',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    'userName eq 01',
    '(userName pr',
    'userName pr)',
    'emails[type pr',
    'emails[type eq "work"].value',
    'a pr not b pr',
    'a pr constructor b pr',
    'a pr __proto__ b pr',
    'a pr; drop table users',
    '('.repeat(41) + 'a pr' + ')'.repeat(41),
    'not '.repeat(300) + 'a pr',
    '['.repeat(1_000),
  ])('fails with invalidFilter: %s', (text) => {
    expect(() => parseFilter(text)).toThrow(refusal('invalidFilter'));
  });

  test('fails in linear time as an unterminated string of line breaks', () => {
    expect(() => parseFilter(`userName eq "${'\n'.repeat(1_900)}`)).toThrow(refusal('invalidFilter'));
  });
});

test('a filter of more than 2,000 characters fails with tooMany', () => {
  expect(() => parseFilter(`userName eq "${'x'.repeat(1_987)}"`)).toThrow(refusal('tooMany'));
  expect(parseFilter(`userName eq "${'x'.repeat(1_986)}"`)).toMatchObject({ op: 'eq' });
});
