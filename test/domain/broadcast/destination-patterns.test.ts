import { expect, test } from '@jest/globals';
import {
  BUCKET_NAME,
  HEADER_TEXT,
  ML_APP,
  OBJECT_PREFIX,
  PATH_TEMPLATE,
  S3_REGION,
  SNOWFLAKE_ACCOUNT,
  SQL_NAME,
} from '../../../domain/broadcast/destination-patterns.ts';

test.each([
  ['SQL_NAME', SQL_NAME, ['OPENROUTER_TRACES', '_a$1'], ['', '1a', 'a b', 'a`b', 'a"b', 'a.b', 'a\n']],
  [
    'SNOWFLAKE_ACCOUNT',
    SNOWFLAKE_ACCOUNT,
    ['myorg-my_account', 'xy12345.us-east-2.aws', 'XY12345'],
    ['', 'a/b', 'a.b@evil', 'evil.example#', 'a..b', '-a', 'a.b.c.d.e', 'a:1'],
  ],
  ['BUCKET_NAME', BUCKET_NAME, ['my-traces', 'a.b.c'], ['ab', 'A-B', 'a..b', '-ab', 'a/b', 'a_b']],
  ['S3_REGION', S3_REGION, ['us-east-1', 'auto'], ['', 'US', 'a.b', 'a/b', 'evil.example/']],
  ['OBJECT_PREFIX', OBJECT_PREFIX, ['', 'a/b', "a=(1)'"], ['a b', '{prefix}', 'ü', 'a'.repeat(513)]],
  [
    'PATH_TEMPLATE',
    PATH_TEMPLATE,
    ['{prefix}/{date}', 'dt={date}/k={apiKeyName}', ''],
    ['{secret}', '{', 'a b', '{prefix', '{{date}}', 'a'.repeat(513)],
  ],
  ['ML_APP', ML_APP, ['shop', 'shop-2.eu', 'a'.repeat(193)], ['Shop', 'a__b', 'a_', '', 'a'.repeat(194)]],
  ['HEADER_TEXT', HEADER_TEXT, ['a', 'a b'], ['', ' a', 'a ', 'a\nb', 'ü']],
])('the pattern %s accepts its valid examples and refuses the invalid ones', (_name, pattern, good, bad) => {
  expect(good.filter((text) => !pattern.test(text))).toEqual([]);
  expect(bad.filter((text) => pattern.test(text))).toEqual([]);
});
