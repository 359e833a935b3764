import type { RequestListener, Server } from 'node:http';
import type { BodyPace } from './request/body-pace.ts';

/**
 * Discards the rest of a body after its request was answered; most refusals are sent before the body is read. Closes
 * the connection if the rest arrives too slowly.
 */
export function dropUnreadBodies(server: Server, pace: BodyPace): void {
  const listener: RequestListener = (request, response) => {
    response.once('close', () => {
      const { complete, socket } = request;
      // If the connection ends anyway, the rest does not matter.
      if (complete || !socket.writable) return;
      // A body whose reading was abandoned would otherwise stay paused.
      request.resume();
      request.once(
        'close',
        pace.watch(request, () => socket.destroy()),
      );
    });
  };
  server.on('request', listener).on('checkContinue', listener);
}
