import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { type BroadcastScene, openBroadcastScene, type Place } from './broadcast-scene.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** What one test of a pump works with. */
export interface PumpScene {
  /** One for all tests of the suite. */
  scene: BroadcastScene;
  /** A tool that answers 200, and a workspace without a destination: new ones for each test. */
  receiver: Receiver;
  place: Place;
}

/** Opens and closes what the tests of a suite need; `begin` gets it before each of them. */
export function usePumpScene(begin: (fresh: PumpScene) => unknown): void {
  let scene: BroadcastScene;
  let receiver: Receiver;
  beforeAll(async () => {
    scene = await openBroadcastScene();
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    scene.events.length = 0;
    receiver = await startReceiver({ status: 200 });
    begin({ scene, receiver, place: await scene.addWorkspace() });
  });
  afterEach(() => receiver.close());
}
