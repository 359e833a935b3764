import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import type { OperationDefinition } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';

const all: OperationDefinition[] = Object.values(operations);
const generating = all.flatMap(({ id, access, body }) =>
  access === 'generation' && body !== undefined ? [[id, body] as const] : [],
);

/** As much of a schema as is needed to walk it. */
interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  valueType?: z.ZodType;
  options?: z.ZodType[];
  in?: z.ZodType;
  out?: z.ZodType;
  innerType?: z.ZodType;
}

/**
 * Returns the paths of optional fields and of records in records that refuse null, of lists and objects within each
 * other.
 */
function refusingNull(schema: z.ZodType, path: string): string[] {
  const {
    shape = {},
    element,
    valueType,
    options = [],
    in: input,
    innerType,
  } = schema._zod.def as Definition;
  const inner = [element, valueType, input, innerType, ...options].filter((one) => one !== undefined);
  const isRecordOfRecords = valueType?._zod.def.type === 'record';
  return [
    ...(isRecordOfRecords && !valueType.safeParse(null).success ? [`${path}.*`] : []),
    ...Object.entries(shape).flatMap(([name, field]) => {
      const isOptional = field._zod.optin === 'optional';
      const refuses = isOptional && !field.safeParse(null).success;
      return [...(refuses ? [`${path}.${name}`] : []), ...refusingNull(field, `${path}.${name}`)];
    }),
    ...inner.flatMap((one) => refusingNull(one, path)),
  ];
}

test('the check of null covers the operations that generate', () => {
  expect(generating.map(([id]) => id)).toEqual(
    expect.arrayContaining(['createChatCompletion', 'createMessage', 'createResponse', 'createEmbeddings']),
  );
  expect(generating.map(([id]) => id)).toEqual(
    expect.arrayContaining(['createRerank', 'createImages', 'createSpeech', 'createVideo']),
  );
});

test.each(generating)('null counts as absence in every optional field of %s', (_id, { schema, examples }) => {
  expect(refusingNull(schema, 'body')).toEqual([]);
  const fields = Object.keys((schema._zod.def as Definition).shape ?? {});
  const nothing = Object.fromEntries(fields.map((name) => [name, null]));
  for (const { value } of Object.values(examples)) {
    expect(schema.safeParse({ ...nothing, ...(value as object) })).toMatchObject({ success: true });
  }
});
