import { expect, test } from '@jest/globals';
import {
  headerText,
  objectKey,
  objectKeyTemplate,
  s3Bucket,
  s3Region,
  snowflakeAccount,
  snowflakeName,
  sqlName,
} from '../../../contract/broadcast/config-fields.ts';
import { configSchemas } from '../../../contract/broadcast/destination-configs.ts';

test.each([
  ['sqlName', sqlName, ['OPENROUTER_TRACES', '_a1'], ['', '1a', 'a b', 'a`b', 'a"b', 'a.b', 'a\n']],
  ['snowflakeName', snowflakeName, ['COMPUTE_WH', '_a$1'], ['', '1a', 'a b', 'a"b', 'a.b', 'a\n']],
  [
    'snowflakeAccount',
    snowflakeAccount,
    ['myorg-my_account', 'xy12345.us-east-2.aws', 'XY12345'],
    ['', 'a/b', 'a.b@evil', 'evil.example#', 'a..b', '-a', 'a:1'],
  ],
  ['s3Bucket', s3Bucket, ['my-traces', 'a.b.c'], ['ab', 'A-B', 'a..b', '-ab', 'a/b', 'a_b']],
  ['s3Region', s3Region, ['us-east-1', 'auto'], ['', 'US', 'a.b', 'a/b', 'evil.example/']],
  ['objectKey', objectKey, ['a/b', "a=(1)'"], ['', '/a', 'a/../b', '{prefix}', 'ü', 'a'.repeat(513)]],
  [
    'objectKeyTemplate',
    objectKeyTemplate,
    ['{prefix}/{date}', 'dt={date}/k={apiKeyName}'],
    ['', '{secret}', '{', '{prefix', '{{date}}', 'a'.repeat(513)],
  ],
  [
    'mlApp',
    configSchemas.datadog.shape.mlApp,
    ['shop', 'shop-2.eu', 'a'.repeat(193)],
    ['Shop', 'a__b', 'a_', '', 'a'.repeat(194)],
  ],
  ['headerText', headerText, ['a', 'a b'], ['', ' a', 'a ', 'a\nb', 'ü']],
])('the field %s accepts its valid examples and refuses the invalid ones', (_name, field, good, bad) => {
  expect(good.filter((text) => !field.safeParse(text).success)).toEqual([]);
  expect(bad.filter((text) => field.safeParse(text).success)).toEqual([]);
});
