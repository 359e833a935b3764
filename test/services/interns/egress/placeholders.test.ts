import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../../domain/errors.ts';
import {
  fillTemplate,
  namesOf,
  placeholdersOf,
  parseHeaderTemplate,
} from '../../../../services/interns/egress/placeholders.ts';

const VALUES = new Map([
  ['key', 'v4lue'],
  ['tricky', '{{secret:key}}$&'],
]);

function fill(value: string): string | undefined {
  const template = parseHeaderTemplate('authorization', value);
  return template && fillTemplate(template, VALUES, 1_000);
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a header with placeholders', () => {
  test.each([
    ['Bearer {{secret:key}}', 'Bearer v4lue'],
    ['{{secret:key}}', 'v4lue'],
    ['a={{secret:key}}; b={{secret:key}}.', 'a=v4lue; b=v4lue.'],
    ['{{basic:user:key}}', `Basic ${base64('user:v4lue')}`],
    ['Basic {{basic:user:key}}', `Basic ${base64('user:v4lue')}`],
    ['basic {{basic:user:key}}', `basic ${base64('user:v4lue')}`],
    [
      'Basic {{basic:user:key}} {{basic:user:key}}',
      `Basic ${base64('user:v4lue')} Basic ${base64('user:v4lue')}`,
    ],
    ['{{basic::key}}', `Basic ${base64(':v4lue')}`],
    ['{{basic:a user@example.com:key}}', `Basic ${base64('a user@example.com:v4lue')}`],
    ['{{{secret:key}}}', '{v4lue}'],
    ['{{ok}} {{secret:key}}', '{{ok}} v4lue'],
  ])('%s becomes %s', (value, filled) => {
    expect(fill(value)).toBe(filled);
  });

  test('takes each value in one pass, without placeholders in it', () => {
    expect(fill('{{secret:tricky}}')).toBe('{{secret:key}}$&');
  });

  test('stops at the first value that makes it too long', () => {
    const lookups: string[] = [];
    class CountedMap extends Map<string, string> {
      override get(name: string): string | undefined {
        lookups.push(name);
        return super.get(name);
      }
    }
    const template = parseHeaderTemplate('x-a', '{{basic:u:a}}'.repeat(1_000));
    const filled = fillTemplate(template!, new CountedMap([['a', 'x'.repeat(60)]]), 250);
    expect(filled).toBeUndefined();
    expect(lookups).toHaveLength(3);
  });

  test('may reach the longest length and not exceed it', () => {
    const template = parseHeaderTemplate('x-a', 'a {{secret:key}}');
    expect(fillTemplate(template!, VALUES, 7)).toBe('a v4lue');
    expect(fillTemplate(template!, VALUES, 6)).toBeUndefined();
  });

  test('names each secret once', () => {
    const template = parseHeaderTemplate('x-a', '{{secret:b}}{{basic:u:a}}{{secret:b}}');
    expect(namesOf(placeholdersOf([template!]))).toEqual(['b', 'a']);
  });
});

test.each(['', 'Bearer sk-123', '{{key}}', '{secret:key}', '{{ secret:key }}', '{{Secret:key}}'])(
  'the header %j contains no placeholder',
  (value) => {
    expect(parseHeaderTemplate('x-a', value)).toBeUndefined();
  },
);

test.each([
  '{{secret:',
  '{{secret:}}',
  '{{secret:Key}}',
  '{{secret:key }}',
  '{{secret:key}',
  '{{secret:key_}}',
  '{{secret:a__b}}',
  '{{secret:1a}}',
  `{{secret:${'a'.repeat(256)}}}`,
  '{{basic:key}}',
  '{{basic:us:er:key}}',
  '{{basic:"user":key}}',
  `{{basic:${'u'.repeat(256)}:key}}`,
  '{{secret:key}} {{basic:}}',
  '{{secret:{{secret:key}}}}',
])('the malformed placeholder %s gets a 400 that names the header', (value) => {
  const parse = () => parseHeaderTemplate('x-api-key', value);
  expect(parse).toThrow(AppError);
  expect(parse).toThrow(
    expect.objectContaining({
      options: { issues: [expect.objectContaining({ path: 'headers.x-api-key' })] },
    }),
  );
});
