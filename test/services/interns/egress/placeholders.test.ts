import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../../domain/errors.ts';
import {
  fillTemplate,
  namesOf,
  parseHeaderTemplate,
} from '../../../../services/interns/egress/placeholders.ts';

const VALUES = new Map([
  ['key', 'v4lue'],
  ['tricky', '{{secret:key}}$&'],
]);

function fill(value: string): string | undefined {
  const template = parseHeaderTemplate('authorization', value);
  return template && fillTemplate(template, VALUES);
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
    ['{{basic::key}}', `Basic ${base64(':v4lue')}`],
    ['{{basic:a user@example.com:key}}', `Basic ${base64('a user@example.com:v4lue')}`],
    ['{{{secret:key}}}', '{v4lue}'],
    ['{{ok}} {{secret:key}}', '{{ok}} v4lue'],
  ])('%s becomes %s', (value, filled) => {
    expect(fill(value)).toBe(filled);
  });

  test('is filled in one pass', () => {
    expect(fill('{{secret:tricky}}')).toBe('{{secret:key}}$&');
  });

  test('names each secret once', () => {
    const template = parseHeaderTemplate('x-a', '{{secret:b}}{{basic:u:a}}{{secret:b}}');
    expect(namesOf([template!])).toEqual(['b', 'a']);
  });
});

test.each(['', 'Bearer sk-123', '{{key}}', '{secret:key}', '{{ secret:key }}', '{{Secret:key}}'])(
  'a header without a placeholder: %j',
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
])('the malformed placeholder %s is a 400 that names the header', (value) => {
  const parse = () => parseHeaderTemplate('x-api-key', value);
  expect(parse).toThrow(AppError);
  expect(parse).toThrow(
    expect.objectContaining({
      options: { issues: [expect.objectContaining({ path: 'headers.x-api-key' })] },
    }),
  );
});
