import type { RequestListener, Server } from 'node:http';
import type { BodyPace } from './request/body-pace.ts';

/**
 * Drops what still comes of a body whose request has been answered, as most refusals are before the body is read. Cuts
 * the connection when it comes too slowly: such a connection serves nobody.
 */
export function dropUnreadBodies(server: Server, pace: BodyPace): void {
  const listener: RequestListener = (request, response) => {
    response.once('close', () => {
      const { complete, socket } = request;
      // A connection that has ended, or ends with this answer, does not wait for the rest.
      if (complete || !socket.writable) return;
      // A body that was given up in the middle stays paused otherwise.
      request.resume();
      request.once(
        'close',
        pace.watch(request, () => socket.destroy()),
      );
    });
  };
  server.on('request', listener).on('checkContinue', listener);
}
