import { expect, test } from '@jest/globals';
import type { OwnResources, ResourceOwner } from '../../../db/endpoints/own-resources-read-model.ts';
import { createOwnViews } from '../../../services/endpoints/own-views.ts';

const NOTHING: OwnResources = { credentials: [], endpoints: [], origins: [] };
const WORKSPACE = { organizationId: 'o', workspaceId: 'w' };

function scene() {
  const reads: ResourceOwner[] = [];
  let nowMs = 0;
  const views = createOwnViews({
    catalog: { providers: () => [] },
    providers: { of: () => ({ failure: 'provider_not_found' }), vendorOrigin: () => null },
    store: {
      async find(workspace) {
        reads.push(workspace);
        return NOTHING;
      },
    },
    notices: { isConnected: () => true, heardUntilMs: () => nowMs },
    now: () => nowMs,
  });
  return { views, reads, pass: (ms: number) => (nowMs += ms) };
}

test('a workspace without resources is read once', async () => {
  const { views, reads } = scene();
  expect(await views.of(WORKSPACE)).toBeNull();
  expect(views.of(WORKSPACE)).toBeNull();
  expect(reads).toEqual([WORKSPACE]);
});

test('each workspace is read for itself, and again after its organization is forgotten', async () => {
  const { views, reads } = scene();
  const [other, foreign] = [
    { ...WORKSPACE, workspaceId: 'x' },
    { organizationId: 'p', workspaceId: 'w' },
  ];
  for (const workspace of [WORKSPACE, other, foreign]) await views.of(workspace);
  views.forget('o');
  for (const workspace of [WORKSPACE, other, foreign]) await views.of(workspace);
  expect(reads).toEqual([WORKSPACE, other, foreign, WORKSPACE, other]);
});

test('a view in use is read again in the background without delaying requests', async () => {
  const { views, reads, pass } = scene();
  await views.of(WORKSPACE);
  for (let n = 0; n < 4; n += 1) {
    pass(20_000);
    expect(views.of(WORKSPACE)).toBeNull();
    await Promise.resolve();
    await new Promise(setImmediate);
  }
  expect(reads).toHaveLength(5);
});
