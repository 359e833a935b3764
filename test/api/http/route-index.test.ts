import { expect, test } from '@jest/globals';
import type { Middleware } from 'koa';
import { createRouteIndex } from '../../../api/http/route-index.ts';

const handler = (): Middleware => async () => {};

test('the route index finds a route by its segments and reads its parameters', () => {
  const index = createRouteIndex();
  const [job, output] = [handler(), handler()];
  index.add('GET', '/videos/:jobId', job);
  index.add('GET', '/videos/:jobId/output/:index', output);
  expect(index.find('GET', '/videos/a-1')).toEqual({ handler: job, params: { jobId: 'a-1' } });
  expect(index.find('GET', '/videos/a-1/output/0')).toEqual({
    handler: output,
    params: { jobId: 'a-1', index: '0' },
  });
});

test.each([
  ['nothing', '/send/a', { host: 'a' }],
  ['a slash', '/send/a/', { host: 'a', path: '' }],
  ['segments', '/send/a/b/c', { host: 'a', path: 'b/c' }],
  ['empty segments', '/send/a//b/', { host: 'a', path: '/b/' }],
])('the route index matches a trailing wildcard when %s follows', (_what, path, params) => {
  const index = createRouteIndex();
  const send = handler();
  index.add('GET', '/send/:host{/*path}', send);
  expect(index.find('GET', path)).toEqual({ handler: send, params });
  expect(index.find('POST', path)).toBeUndefined();
  expect(index.find('GET', '/send/')).toBeUndefined();
  expect(index.find('GET', '/send')).toBeUndefined();
});

test('the route index prefers the route that was added first', () => {
  const index = createRouteIndex();
  const [models, job] = [handler(), handler()];
  index.add('GET', '/videos/models', models);
  index.add('GET', '/videos/:jobId', job);
  expect(index.find('GET', '/videos/models')?.handler).toBe(models);
  expect(index.find('GET', '/videos/Models')?.handler).toBe(job);
});

test.each([
  ['another method', 'HEAD', '/videos/a'],
  ['a parameter without text', 'GET', '/videos/'],
  ['another literal', 'GET', '/images/a'],
  ['more segments', 'GET', '/videos/a/b'],
  ['a slash at the end', 'GET', '/videos/a/'],
  ['an encoded character', 'GET', '/videos/a%20b'],
  ['a character beyond ASCII', 'GET', '/videos/ä'],
])('the route index leaves a path with %s to the router', (_what, method, path) => {
  const index = createRouteIndex();
  index.add('GET', '/videos/:jobId', handler());
  expect(index.find(method, path)).toBeUndefined();
});
